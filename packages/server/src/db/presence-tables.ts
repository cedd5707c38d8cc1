import type { Instant } from "./column-types.ts";

export type PresenceTables = { livePresence: LivePresenceRow };

/** Who is typing, or has the inbox open. Servers that share a database tell each other through it. */
export type LivePresenceRow = {
  organizationId: string;
  /** the conversation in which somebody types; empty for a member who is present in the inbox */
  conversationId: string;
  /** a member's user id, or `visitor` */
  who: string;
  until: Instant;
};
