import type { Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";

/** Tables for saved views, bulk actions and drafts, see inbox/views/, inbox/bulk/ and inbox/drafts/. */
export type InboxTables = {
  inboxViews: InboxViewTable;
  bulkActions: BulkActionRow;
  bulkItems: BulkItemRow;
  messageDrafts: MessageDraftRow;
};

/** What a member has written in a conversation and not sent. */
export type MessageDraftRow = {
  organizationId: string;
  conversationId: string;
  userId: string;
  mode: "reply" | "note";
  text: string;
  /** the ids of the uploads, in their order */
  attachmentIds: Json;
  /** what else happens when the reply is sent */
  actions: Json | null;
  updatedAt: Instant;
};

export type InboxViewRow = {
  id: string;
  organizationId: string;
  /** the member to whom it belongs; null when the organization shares it */
  ownerId: string | null;
  /** the team that shares it; null when it belongs to a member or the whole organization */
  teamId: string | null;
  name: string;
  filter: Json;
  sort: "newest" | "activity";
  columns: Json;
  createdAt: Instant;
  updatedAt: Instant;
};

type InboxViewTable = Omit<InboxViewRow, "teamId"> & { teamId: Generated<string | null> };

export type BulkActionRow = {
  id: string;
  organizationId: string;
  /** the member who started it */
  userId: string;
  /** the action and its parameters */
  change: Json;
  /** the filter whose conversations are collected; null when the request named them */
  selection: Json | null;
  state: "collecting" | "running" | "done" | "undoing" | "undone";
  /** asks the process that runs it to stop and undo it */
  isUndoRequested: Flag;
  /** the id of the last conversation that was collected; older ones follow */
  lastCollected: string | null;
  total: number;
  done: number;
  skipped: number;
  undone: number;
  /** consecutive failures, such as of the database */
  failures: number;
  createdAt: Instant;
  finishedAt: Instant | null;
  /** when a process may claim it; null when nothing is left to do */
  dueAt: Instant | null;
  fence: number;
};

/**
 * A conversation of a bulk action. `started` means that its earlier state is stored and the change may have been made.
 */
export type BulkItemRow = {
  bulkId: string;
  conversationId: string;
  organizationId: string;
  state: "pending" | "started" | "done" | "skipped" | "undone";
  /** what an undo restores; null until it is started */
  before: Json | null;
};
