/** The built-in model, which needs no API key. */
export const DEMO_MODEL = "foyer/demo";

/** A model's name in lists. */
export function modelName(id: string): string {
  return id === DEMO_MODEL ? "Demo (no AI)" : id;
}

/** The model chosen for the agent, or `null` if it uses the default model. */
export function chosenModel(agent: { model: string; modelIsDefault?: boolean }): string | null {
  return agent.modelIsDefault ? null : agent.model;
}
