import type { Instant } from "./column-types.ts";

/** The tables of internal notes and canned replies, see inbox/. */
export type NoteTables = {
  conversationNotes: ConversationNoteRow;
  cannedReplies: CannedReplyRow;
};

export type ConversationNoteRow = {
  id: string;
  organizationId: string;
  conversationId: string;
  /** the member who wrote it; null for an API key */
  authorId: string | null;
  /** the name of the member or of the key at the time */
  authorName: string;
  text: string;
  createdAt: Instant;
};

export type CannedReplyRow = {
  id: string;
  organizationId: string;
  name: string;
  text: string;
  createdAt: Instant;
  updatedAt: Instant;
};
