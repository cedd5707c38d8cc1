import { HOUR_MS } from "@foyer/contract/rules/time";
import { sql, type Transaction } from "kysely";
import type { Instant } from "../../db/tables/column-types.ts";
import type { Tables } from "../../db/tables.ts";
import type { ConversationRef, ConversationRefs, Emit } from "./change.ts";
import { hasNoAnswer } from "./unanswered.ts";

/** Who changes a status. `userId` is null for an API key and when nobody did. */
export type ChangedBy = { userId: string | null; isAutomatic: boolean };

/**
 * Reopens a conversation because something happened in it. Does nothing if it is open. A transaction that changes the
 * conversation anyway calls it first, so that it takes the lock.
 */
export async function reopen(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: ConversationRef,
  how: { emit: Emit; by: ChangedBy },
): Promise<void> {
  await reopenAll(trx, { organizationId, conversationIds: [conversationId] }, how);
}

/** A conversation that a member reopens within this time, in milliseconds, was resolved by mistake. */
const MISTAKE_MS = HOUR_MS;

/** Withdraws a question for a rating that the visitor was asked by mistake, so that it is asked at the real end. */
const withoutNewQuestion = () => sql<Instant | null>`case when status = 'resolved' and "ratedAt" is null
  and "ratingAskedAt" > ${Date.now() - MISTAKE_MS} then null else "ratingAskedAt" end`;

/** Reopens those of several conversations that are not open and not in the trash. */
export async function reopenAll(
  trx: Transaction<Tables>,
  { organizationId, conversationIds }: ConversationRefs,
  { emit, by }: { emit: Emit; by: ChangedBy },
): Promise<void> {
  const reopened = await trx
    .updateTable("conversations")
    .set({ status: "open", snoozedUntil: null, resolvedAt: null })
    .$if(!by.isAutomatic, (query) => query.set({ ratingAskedAt: withoutNewQuestion() }))
    .where("id", "in", conversationIds)
    .where("organizationId", "=", organizationId)
    .where("trashedAt", "is", null)
    .where("status", "<>", "open")
    .returning(["id", "agentId", "isTest"])
    .execute();
  if (reopened.length === 0) return;
  // The member of a conversation that was snoozed has the whole time to answer.
  await trx
    .updateTable("handoffs")
    .set({ assignedAt: Date.now() })
    .where(
      "conversationId",
      "in",
      reopened.map(({ id }) => id),
    )
    .where("organizationId", "=", organizationId)
    .where("endedAt", "is", null)
    .where("takenAt", "is not", null)
    .where(hasNoAnswer)
    .execute();
  const changes = reopened.map(({ id, agentId, isTest }) => ({
    organizationId,
    conversationId: id,
    agentId,
    isTest: isTest === 1,
    kind: "status" as const,
    status: "open" as const,
    snoozedUntil: null,
    ...by,
  }));
  await emit(trx, changes);
}
