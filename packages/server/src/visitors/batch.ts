import type { ConversationRow } from "../db/tables.ts";

export type FoundConversation = Pick<ConversationRow, "userEmail" | "isUserVerified"> & {
  id: string;
  agentId: string;
  sessionId: string | null;
  userId: string | null;
  createdAt: number;
  updatedAt: number;
};

/**
 * A part of a visitor's data. `sessionIds` and `counterKeys` identify the visitor's trigger events and token counters.
 */
export type Batch = {
  conversations: FoundConversation[];
  submissionIds: string[];
  sessionIds: string[];
  counterKeys: string[];
};
