import type { Instant } from "./column-types.ts";

export type PresenceTables = { livePresence: LivePresenceRow; conversationActivity: ConversationActivityRow };

/** Who is typing, or has the inbox open. Servers that share a database exchange it through this table. */
export type LivePresenceRow = {
  organizationId: string;
  /** where the person is typing; empty for a member who has the inbox open, `in_use` for one who uses it */
  conversationId: string;
  /** a member's user id, or `visitor` */
  who: string;
  until: Instant;
};

/**
 * When something last happened in a conversation. Written only while a member of its organization has the inbox open.
 */
export type ConversationActivityRow = {
  organizationId: string;
  /** empty when too much happened to list the conversations */
  conversationId: string;
  at: Instant;
};
