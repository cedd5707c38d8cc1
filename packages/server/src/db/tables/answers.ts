import type { UnansweredReason } from "@foyer/contract";
import type { Instant } from "./column-types.ts";

/** The tables about how replies used the documents, see documents/answers/. */
export type AnswerTables = {
  unansweredQuestions: UnansweredQuestionRow;
  closedQuestions: ClosedQuestionRow;
  documentCitations: DocumentCitationRow;
};

/** A question whose reply did not answer it. Deleted with the reply. */
export type UnansweredQuestionRow = {
  /** id of the reply */
  messageId: string;
  organizationId: string;
  agentId: string;
  conversationId: string;
  /** the same for questions with the same words */
  groupId: string;
  question: string;
  reason: UnansweredReason;
  /** when the reply ended, or for a rating when the reply was sent */
  at: Instant;
};

/**
 * A group that is hidden from the list. `dismissed` hides it permanently, `answered` until a question of the group
 * remains unanswered after `closedAt`.
 */
type ClosedQuestionRow = {
  agentId: string;
  groupId: string;
  organizationId: string;
  outcome: "dismissed" | "answered";
  closedAt: Instant;
};

/** A document that a reply cites. The document may have been deleted. */
export type DocumentCitationRow = {
  messageId: string;
  documentId: string;
  organizationId: string;
  conversationId: string;
  question: string;
  at: Instant;
};
