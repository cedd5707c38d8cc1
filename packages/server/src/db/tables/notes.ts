import type { Generated } from "kysely";
import type { Instant, Json } from "./column-types.ts";

/** Tables for internal notes and canned replies, see inbox/, for notes about visitors, see visitors/, and for tags, see conversations/tags/. */
export type NoteTables = {
  conversationNotes: Omit<ConversationNoteRow, "mentions"> & { mentions: Generated<Json> };
  visitorNotes: VisitorNoteRow;
  cannedReplies: CannedReplyRow;
  tags: TagRow;
  conversationTags: ConversationTagRow;
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
  /** the members whom it mentions: a JSON list of objects with `userId` and the `name` at the time */
  mentions: Json;
  createdAt: Instant;
};

export type VisitorNoteRow = {
  id: string;
  organizationId: string;
  /** the visitor, see conversations/visitor-key.ts */
  kind: "verified" | "claimed" | "email" | "session";
  value: string;
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
  /** JSON of the actions; null for none */
  actions: string | null;
  createdAt: Instant;
  updatedAt: Instant;
};

export type TagRow = {
  id: string;
  organizationId: string;
  name: string;
  /** the form of the name by which tags are compared; unique within the organization */
  nameKey: string;
  createdAt: Instant;
};

type ConversationTagRow = {
  organizationId: string;
  conversationId: string;
  tagId: string;
};
