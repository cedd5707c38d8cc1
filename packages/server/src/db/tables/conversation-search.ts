import type { Instant } from "./column-types.ts";

/** The tables of the index of conversations, see conversations/search/. `searchKeys` exists only on SQLite. */
export type ConversationSearchTables = {
  searchTexts: { conversationId: string; organizationId: string };
  searchProgress: {
    agentId: string;
    organizationId: string;
    /** the latest activity and the id of the last conversation that was indexed, in the order of both */
    updatedAt: Instant;
    conversationId: string;
  };
};
