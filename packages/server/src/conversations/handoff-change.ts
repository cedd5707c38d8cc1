import type { HandoffCause } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { AgentRow, Tables } from "../db/tables.ts";

/** Where something changed. `epoch` is the conversation's after the change. */
type Place = { organizationId: string; agentId: string; conversationId: string; epoch: number };

/**
 * What happened to a conversation that goes over to people, comes back, or is with them. `userId` is the member who did
 * it.
 */
export type HandoffChange = Place &
  (
    | { kind: "requested"; handoffId: string; cause: HandoffCause; userId?: undefined }
    | { kind: "taken" | "answered"; handoffId: string; userId: string }
    | { kind: "returned" | "closed"; handoffId: string; userId: string }
    | { kind: "cancelled"; handoffId: string; userId?: undefined }
    /** a message of a visitor who waits or talks to a person */
    | { kind: "visitor_message"; handoffId?: undefined; messageId: string; userId?: undefined }
    | { kind: "member_message"; handoffId: string; messageId: string; userId: string }
  );

/** A request for a person that a rule makes in the transaction of what it reacts to. */
export type RequestHuman = (
  trx: Transaction<Tables>,
  agent: Pick<AgentRow, "id" | "handoff">,
  asked: { organizationId: string; conversationId: string; cause: HandoffCause; reason: string | null },
) => Promise<unknown>;

/** Called in the transaction of the change, so that what it writes is committed together with it. */
export type RecordHandoff = (trx: Transaction<Tables>, change: HandoffChange) => Promise<void>;
