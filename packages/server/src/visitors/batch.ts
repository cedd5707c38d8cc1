export type FoundConversation = {
  id: string;
  agentId: string;
  sessionId: string | null;
  userId: string | null;
  createdAt: number;
  updatedAt: number;
};

/**
 * A part of a visitor's data. `sessionIds` and `counterKeys` are those by which trigger events and token counters belong
 * to the visitor.
 */
export type Batch = {
  conversations: FoundConversation[];
  submissionIds: string[];
  sessionIds: string[];
  counterKeys: string[];
};
