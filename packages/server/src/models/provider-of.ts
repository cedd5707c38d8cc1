/** The provider in a model's id: `openai` in `openai/gpt-5`. Null when the id has none. */
export function providerOf(modelId: string): string | null {
  const slash = modelId.indexOf("/");
  return slash > 0 ? modelId.slice(0, slash) : null;
}
