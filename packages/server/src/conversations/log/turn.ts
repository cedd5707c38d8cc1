import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { ReplyStepRow } from "../../db/tables/models.ts";
import type { AgentRow, ConversationRow, MessageRow, ReplyFailureRow } from "../../db/tables.ts";
import type { Answer } from "../../documents/answers/recorder.ts";
import type { TokenUsage } from "../../plans/token-budget.ts";
import type { ReplyEnd } from "./queries.ts";

/** The columns that say who the visitor of a conversation is. */
export type Visitor = Pick<
  ConversationRow,
  "userId" | "userEmail" | "userName" | "userMetadata" | "isUserVerified" | "verifiedVisitor"
>;

/** Everything that a visitor's turn stores. */
export type NewTurn = {
  conversation: ConversationRow;
  isNew: boolean;
  /** identifies the first message of a new conversation when it is sent again, see chat/turn/repeated-starts.ts */
  startKey: string | null;
  /** whether the agent does not reply while the visitor waits for a person */
  isSilentWhileWaiting: boolean;
  /** if false, a reply that is still running causes a conflict instead of being ended */
  mayReplaceReply: boolean;
  /** the visitor to whom an anonymous conversation is assigned */
  claimedBy: Visitor | null;
  /** the visitor's consent in this turn, as JSON */
  consent: string | null;
  /** the messages that this turn adds, in order */
  messages: ReadonlyArray<
    Pick<MessageRow, "id" | "role" | "content" | "page" | "messageKey" | "isSupplied" | "removedLinks"> & {
      /** the uploads that the message gets, in their order */
      attachments: readonly AttachmentRow[];
    }
  >;
  /** null when the agent is expected not to reply */
  replyId: string | null;
  /** null when no model is called */
  model: string | null;
  /** the version of the agent that writes the reply, see MessageVersionColumns */
  agentVersion: number | null;
  /** deletes the last reply first, because its question is answered again */
  regenerate: boolean;
};

/** A reply that has ended, with everything that is recorded with it. */
export type EndedReply = {
  conversationId: string;
  /** the epoch in which it began */
  epoch: number;
  end: ReplyEnd;
  usage: TokenUsage;
  failure: Omit<ReplyFailureRow, "messageId" | "conversationId" | "at"> | null;
  /** whether the reply is part of the agent's analytics */
  isCounted: boolean;
  /** how many of its tool calls failed */
  failedTools: number;
  /** how the reply used the documents; null when nothing is recorded */
  answer: Answer | null;
  agent: Pick<AgentRow, "id" | "organizationId" | "monthlyTokenBudget" | "monthlyCostBudget" | "handoff">;
  /** the calls of models and tools, in the order in which they began */
  steps: ReadonlyArray<Omit<ReplyStepRow, "messageId" | "position">>;
  /** when the visitor's message arrived */
  startedAt: number;
};
