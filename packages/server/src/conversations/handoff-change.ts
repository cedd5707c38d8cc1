import type { HandoffCause } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { AgentRow, Tables } from "../db/tables.ts";

/** The conversation in which a change happened. `epoch` is the conversation's epoch after the change. */
type Place = { organizationId: string; agentId: string; conversationId: string; epoch: number };

/** A change of who handles a conversation, or an event while people handle it. `userId` is the member who caused it. */
export type HandoffChange = Place &
  (
    | {
        kind: "requested";
        handoffId: string;
        cause: HandoffCause;
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
    /** `assignedBy` is the member who assigned the conversation to another one. */
    | { kind: "taken"; handoffId: string; userId: string; assignedBy: string | null }
    | { kind: "answered"; handoffId: string; userId: string }
    | { kind: "returned" | "closed"; handoffId: string; userId: string }
    | { kind: "cancelled"; handoffId: string; wasAnnounced: boolean; userId?: undefined }
    /** a message from a visitor who is waiting for a person or talking to one */
    | { kind: "visitor_message"; handoffId?: undefined; messageId: string; userId?: undefined }
    | { kind: "member_message"; handoffId: string; messageId: string; userId: string }
  );

/** Requests a person because of a rule, in the transaction of the event that the rule reacts to. */
export type RequestHuman = (
  trx: Transaction<Tables>,
  agent: Pick<AgentRow, "id" | "handoff">,
  asked: { organizationId: string; conversationId: string; cause: HandoffCause; reason: string | null },
) => Promise<unknown>;

/** Called in the transaction of the change, so that its own writes are committed together with the change. */
export type RecordHandoff = (trx: Transaction<Tables>, change: HandoffChange) => Promise<void>;
