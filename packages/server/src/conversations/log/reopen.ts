import type { Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import type { ConversationRef, Emit } from "./change.ts";

/** Who changes a status. `userId` is null for an API key and when nobody did. */
export type ChangedBy = { userId: string | null; isAutomatic: boolean };

/**
 * Reopens a conversation because something happened in it. Does nothing if it is open. A transaction that changes the
 * conversation anyway calls it first, so that it takes the lock.
 */
export async function reopen(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: ConversationRef,
  { emit, by }: { emit: Emit; by: ChangedBy },
): Promise<void> {
  const reopened = await trx
    .updateTable("conversations")
    .set({ status: "open", snoozedUntil: null, resolvedAt: null })
    .where("id", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .where("status", "<>", "open")
    .returning(["agentId", "isTest"])
    .executeTakeFirst();
  if (!reopened) return;
  const place = { organizationId, conversationId, agentId: reopened.agentId, isTest: reopened.isTest === 1 };
  await emit(trx, [{ ...place, kind: "status", status: "open", snoozedUntil: null, ...by }]);
}
