/** The built-in model, which needs no key. */
export const DEMO_MODEL = "foyer/demo";

/** A model as people speak of it. */
export function modelName(id: string): string {
  return id === DEMO_MODEL ? "Demo, no AI" : id;
}
