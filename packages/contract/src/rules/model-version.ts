/**
 * The id of a model without a date or version at its end, such as `openai/gpt-4.1` for `openai/gpt-4.1-2025-04-14`. Both
 * have the same price that Foyer ships with.
 */
export function withoutModelVersion(model: string): string {
  return model.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|\d{3})$/, "");
}
