import type { AgentRow, MessageRow } from "../../db/tables.ts";
import { createKnownLinks, createLinkFilter } from "../filters/link-filter.ts";
import { createRemovedLinks, listNamingTexts } from "../filters/removed-links.ts";

/**
 * Removes the links that the agent's owner has not named from a message that a client sent in the agent's name, as from
 * the agent's own replies.
 */
export function withoutUnknownLinks(
  content: string,
  agent: Pick<AgentRow, "systemPrompt" | "allowedOrigins" | "linkHosts">,
): Pick<MessageRow, "content" | "removedLinks"> {
  const isKnown = createKnownLinks(() => listNamingTexts(agent));
  const removed = createRemovedLinks(isKnown);
  const links = createLinkFilter(isKnown, removed.add);
  return { content: links.push(content) + links.flush(), removedLinks: removed.toColumn() };
}
