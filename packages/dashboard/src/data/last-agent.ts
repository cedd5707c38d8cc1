const key = "foyer.agent";

/** The agent that was open last in this browser, or `null`. */
export function lastAgentId(): string | null {
  return localStorage.getItem(key);
}

export function rememberAgent(id: string): void {
  localStorage.setItem(key, id);
}
