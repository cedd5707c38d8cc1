import type { ConversationStatus, Rating, ReplyTargetKind } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { Instant } from "../../db/tables/column-types.ts";
import type { HandoffRow, OwnershipColumns } from "../../db/tables/handoff.ts";
import type { AgentRow, Tables } from "../../db/tables.ts";
import type { MonthUsage } from "../../plans/token-budget.ts";
import type { NewRequest } from "./new-handoff.ts";
import type { EndedReply, NewTurn } from "./turn.ts";

/** A conversation of an organization, as an operation names it. */
export type ConversationRef = { organizationId: string; conversationId: string };

/** Several conversations of an organization. */
export type ConversationRefs = { organizationId: string; conversationIds: readonly string[] };

/** The conversation in which a change happened. */
type Place = { organizationId: string; agentId: string; conversationId: string; isTest: boolean };

/**
 * A change of who handles a conversation, or an event while people handle it. `epoch` is the conversation's epoch after
 * the change, and `userId` the member who caused it.
 */
export type HandoffChange = Place & { epoch: number } & (
    | {
        kind: "requested";
        handoff: HandoffRow;
        /**
         * when the team will be notified, because it was notified of an earlier request a moment ago; null to notify it
         * immediately
         */
        heldUntil: number | null;
        /** the team is now notified of a request that was held back */
        isRepeated?: true;
        userId?: undefined;
      }
    /** the team is now notified together of requests to the agent that were held back, `count` of them */
    | { kind: "digest"; handoffId: string; count: number; userId?: undefined }
    /**
     * `assignedBy` is the member who assigned the conversation to another one. `first` is `request` if no open request
     * existed, and `taken` if no member had taken the open request before.
     */
    | {
        kind: "taken";
        handoff: HandoffRow;
        userId: string;
        assignedBy: string | null;
        first: "request" | "taken" | null;
      }
    /** a member's first message since the request */
    | { kind: "answered"; handoff: HandoffRow; userId: string; at: number }
    | { kind: "returned"; handoff: HandoffRow; userId: string }
    /** `userId` is null for an API key, and when nobody closed it */
    | { kind: "closed"; handoff: HandoffRow; userId: string | null }
    | { kind: "cancelled"; handoff: HandoffRow; userId?: undefined }
    /** a message from a visitor who is waiting for a person or talking to one */
    | { kind: "visitor_message"; messageId: string; userId?: undefined }
    | {
        kind: "member_message";
        handoff: HandoffRow;
        messageId: string;
        userId: string;
        at: number;
        /** the uploads that the message gets, in their order */
        attachments: readonly AttachmentRow[];
      }
  );

/** A member has taken a conversation, or another one has assigned it to them. */
export type TakenChange = Extract<HandoffChange, { kind: "taken" }>;

/** A target of a request for a person will soon be missed. */
export type TargetDueChange = Place & {
  kind: "target_due";
  handoffId: string;
  teamId: string | null;
  assigneeId: string | null;
  target: ReplyTargetKind;
};

/** The conversation has ended, and the visitor is asked to rate it. */
export type RatingAskedChange = Place & { kind: "rating_asked" };

/** A visitor's rating of a message. */
export type RatedChange = Place & {
  kind: "rated";
  messageId: string;
  role: "user" | "assistant";
  position: number;
  /** when the message was sent */
  sentAt: number;
  /** false for messages of members and for those that the client supplied */
  isByAgent: boolean;
  rating: Rating;
  comment: string | null;
  /** the rating that this one replaces */
  previous: Rating | null;
  /** whether the event about the rating is due now; otherwise a `rating_reported` follows */
  isReported: boolean;
};

/** What happened to a conversation. */
export type Change =
  | HandoffChange
  | RatedChange
  | RatingAskedChange
  | TargetDueChange
  /** a visitor's turn was stored: a new conversation, or messages in an existing one */
  | (Place & { kind: "turn"; turn: NewTurn; at: number })
  /**
   * `handler`, `failedTools`, the failed tool calls since the last handoff, and `failedReplies`, the latest consecutive
   * ones, are the conversation's
   */
  | (Omit<Place, "isTest"> & {
      kind: "reply_ended";
      reply: EndedReply;
      handler: OwnershipColumns["handler"];
      failedTools: number;
      failedReplies: number;
    })
  /** what an agent has used this month, including the replies that ended */
  | (MonthUsage & {
      kind: "tokens_used";
      organizationId: string;
      conversationId: null;
      agent: Pick<AgentRow, "monthlyTokenBudget" | "monthlyCostBudget">;
    })
  /** a rating that replaced another one soon after its event is reported now */
  | (Omit<Place, "isTest"> & { kind: "rating_reported"; messageId: string; rating: Rating; comment: string | null })
  /** the visitor rated the whole conversation; `memberId` is the member who took its last request, null if none did */
  | (Place & {
      kind: "conversation_rated";
      score: number;
      comment: string | null;
      memberId: string | null;
      isCorrection: boolean;
    })
  /** `userId` is the member who changed the status, null for an API key and when nobody did */
  | (Place & {
      kind: "status";
      status: ConversationStatus;
      snoozedUntil: Instant | null;
      userId: string | null;
      isAutomatic: boolean;
    })
  /**
   * `trashed`: it was moved to the trash, where no reader sees it; `restored`: it is back; `read`: a member read an
   * unread one, or it is unread again
   */
  | { kind: "erased" | "trashed" | "restored" | "read"; organizationId: string; conversationId: string };

/**
 * Makes the visitor wait for a person. Does nothing unless the agent has the conversation.
 * @returns whether the visitor is waiting now
 */
export type RequestHuman = (
  trx: Transaction<Tables>,
  agent: Pick<AgentRow, "id" | "handoff">,
  newRequest: NewRequest,
) => Promise<boolean>;

/**
 * Called in the transaction of the changes, so that its own writes are committed together with them. Everything other
 * than a write belongs into `afterCommit`. A listener that changes the conversation in turn uses the log it is given.
 */
export type ChangeListener = (
  trx: Transaction<Tables>,
  changes: readonly Change[],
  log: { request: RequestHuman },
) => Promise<void>;

/** Hands changes to all listeners in the transaction that stores them. */
export type Emit = (trx: Transaction<Tables>, changes: readonly Change[]) => Promise<void>;

/** @returns a listener that handles the changes of who handles a conversation one by one */
export function onHandoff(handle: (trx: Transaction<Tables>, change: HandoffChange) => Promise<void>): ChangeListener {
  return async (trx, changes) => {
    for (const change of changes) if (isHandoffChange(change)) await handle(trx, change);
  };
}

export function isHandoffChange(change: Change): change is HandoffChange {
  return "epoch" in change;
}

/** Whether analytics count a rating: only of the agent's own replies in conversations with visitors. */
export function isCountedRating({ isTest, isByAgent, rating, previous }: RatedChange): boolean {
  return !isTest && isByAgent && rating !== previous;
}
