import type { ReplyTargetKind } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import type { NewDelivery } from "../../outbox/delivery-queue.ts";

/** The content of a delivery of the kind `notice`. */
export type NoticeTarget =
  | { notice: "request"; handoffId: string; step: number; userId: string; pushId?: string }
  | { notice: "request"; handoffId: string; step: number; channelId: string }
  /** several visitors of the agent are waiting */
  | { notice: "digest"; handoffId: string; count: number; userId: string; pushId?: string }
  | { notice: "digest"; handoffId: string; count: number; channelId: string }
  /** a target of the team will soon be missed */
  | { notice: "target"; handoffId: string; target: ReplyTargetKind; userId: string; pushId?: string }
  | { notice: "target"; handoffId: string; target: ReplyTargetKind; channelId: string }
  /** to the member who has the conversation: it was assigned to them, or the visitor has written in their absence */
  | { notice: "assigned" | "message"; handoffId: string; userId: string; pushId?: string }
  /** to a member whom a note mentions */
  | { notice: "mention"; noteId: string; userId: string; pushId?: string }
  /** to an owner or admin: the agent has used most of a monthly budget */
  | ({ notice: "budget"; userId: string } & BudgetUse)
  /** the messages of members between two positions, sent to the visitor */
  | { notice: "answer"; handoffId: string; from: number; to: number }
  /** asks the visitor to rate the conversation */
  | { notice: "rating"; handoffId: string };

/** How much of a monthly budget an agent has used. */
export type BudgetUse = { agentId: string; budget: "tokens" | "cost"; month: string; used: number; limit: number };

/** Creates deliveries that are due immediately. */
export type EnqueueNotices = (
  trx: Transaction<Tables>,
  subject: { organizationId: string; conversationId: string | null },
  parts: ReadonlyArray<Pick<NewDelivery, "type" | "host"> & { target: NoticeTarget }>,
) => Promise<void>;
