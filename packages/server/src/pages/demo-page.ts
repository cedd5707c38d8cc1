import type { AgentRow } from "../db/tables.ts";

/** What the demo page may know of an agent: what every visitor sees anyway. */
export function demoPage({ id, name }: Pick<AgentRow, "id" | "name">, baseUrl: string): Record<string, string> {
  return { id, name, baseUrl };
}

/** Where the demo page's images come from: the agent's own hosts, and without any from everywhere, as its displays do. */
export function demoImages({ allowedImageHosts }: Pick<AgentRow, "allowedImageHosts">): string[] {
  const stored: string[] = JSON.parse(allowedImageHosts);
  // Earlier versions stored hosts that would add directives to the policy.
  const hosts = stored.filter((host) => /^[a-z0-9.-]+(:\d+)?$/.test(host));
  return stored.length > 0 ? hosts.map((host) => `https://${host}`) : ["https:"];
}
