import type { AgentRow } from "../db/tables.ts";

/** What the demo page may know of an agent: what every visitor sees anyway. */
export function demoPage({ id, name, widget }: Pick<AgentRow, "id" | "name" | "widget">): Record<string, string> {
  const { greeting, suggestions } = JSON.parse(widget);
  return {
    id,
    name,
    greeting: greeting || `Ask ${name} something.`,
    suggestions: JSON.stringify(suggestions ?? []),
  };
}
