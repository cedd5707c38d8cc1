import type { Instant, Json } from "./column-types.ts";

/** Tables for saved views, see inbox/views/. */
export type InboxTables = { inboxViews: InboxViewRow };

export type InboxViewRow = {
  id: string;
  organizationId: string;
  /** the member to whom it belongs; null when the organization shares it */
  ownerId: string | null;
  name: string;
  filter: Json;
  sort: "newest" | "activity";
  columns: Json;
  createdAt: Instant;
  updatedAt: Instant;
};
