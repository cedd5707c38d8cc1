import type { ConversationCounters } from "../conversations/analytics/counters.ts";
import type { RecordHandoff, RequestHuman } from "../conversations/handoff-change.ts";
import type { AgentRow, ConversationRow, MessageRow, ReplyFailureRow } from "../db/tables.ts";
import type { Answer, AnswerRecorder } from "../documents/answers/recorder.ts";
import type { RecordEvents } from "../events/record-events.ts";
import type { TokenBudgets, TokenUsage } from "../plans/token-budget.ts";
import type { Visitor } from "./new-messages.ts";
import type { ReplyEnd } from "./reply-queries.ts";

/** How tokens, conversations, answers, events and changes of the owner are recorded, in the transaction that stores what they belong to. */
export type Counting = {
  tokens: TokenBudgets["count"];
  conversations: ConversationCounters["count"];
  answers: AnswerRecorder["record"];
  events: RecordEvents;
  handoff: RecordHandoff;
  /** asks for a person if the agent still has the conversation, because a rule of the agent says so */
  requestHuman: RequestHuman;
};

/** What a visitor's turn stores. */
export type NewTurn = {
  conversation: ConversationRow;
  isNew: boolean;
  /** whether the agent keeps silent while the visitor waits for a person */
  isSilentWhileWaiting: boolean;
  /** false: a reply that still runs is a conflict instead of being ended */
  mayReplaceReply: boolean;
  /** whom an anonymous conversation goes over to */
  claimedBy: Visitor | null;
  /** what the visitor agrees to with this turn, as JSON */
  consent: string | null;
  /** what the visitor's side appends, in order */
  messages: ReadonlyArray<Pick<MessageRow, "id" | "role" | "content" | "page">>;
  /** null when the agent is expected to keep silent */
  replyId: string | null;
  /** null when none is asked */
  model: string | null;
  /** drop the last reply first, because it is asked again */
  regenerate: boolean;
};

/** A reply that has ended, with everything that is recorded with it. */
export type Ended = {
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
  /** what the reply made of the documents; null when nothing is recorded */
  answer: Answer | null;
  agent: Pick<AgentRow, "id" | "organizationId" | "monthlyTokenBudget" | "handoff">;
  /** null when no model was asked */
  model: string | null;
  /** when the visitor's message arrived */
  startedAt: number;
};
