import type { AgentRow } from "../db/tables.ts";
import { createKnownLinks, createLinkFilter } from "./link-filter.ts";

/**
 * Removes the links that the agent's owner has not named from a message that a client sent in the agent's name, as from
 * the agent's own replies.
 */
export function withoutUnknownLinks(
  content: string,
  { systemPrompt, allowedOrigins }: Pick<AgentRow, "systemPrompt" | "allowedOrigins">,
): string {
  const links = createLinkFilter(createKnownLinks(() => [systemPrompt ?? "", allowedOrigins]));
  return links.push(content) + links.flush();
}
