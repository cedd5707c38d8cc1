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
  /** to the member who has the conversation: it was assigned to them, or the visitor has written in their absence */
  | { notice: "assigned" | "message"; handoffId: string; userId: string; pushId?: string }
  /** the messages of members between two positions, sent to the visitor */
  | { notice: "answer"; handoffId: string; from: number; to: number };

/** Creates deliveries that are due immediately. */
export type EnqueueNotices = (
  trx: Transaction<Tables>,
  request: { organizationId: string; conversationId: string },
  parts: ReadonlyArray<Pick<NewDelivery, "type" | "host"> & { target: NoticeTarget }>,
) => Promise<void>;
