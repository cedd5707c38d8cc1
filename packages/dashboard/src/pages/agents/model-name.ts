/** The built-in model, which needs no key. */
export const DEMO_MODEL = "foyer/demo";

/** A model's name in lists. */
export function modelName(id: string): string {
  return id === DEMO_MODEL ? "Demo (no AI)" : id;
}

/** What was chosen for the agent: `null` for the default model of the moment. */
export function chosenModel(agent: { model: string; modelIsDefault?: boolean }): string | null {
  return agent.modelIsDefault ? null : agent.model;
}
