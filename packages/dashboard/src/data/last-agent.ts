const key = "foyer.agent";

/** The id of the agent that was last open in this browser, or `null`. */
export function readLastAgentId(): string | null {
  return localStorage.getItem(key);
}

export function rememberAgent(id: string): void {
  localStorage.setItem(key, id);
}
