import { sql, type Transaction } from "kysely";
import type { Tables } from "../db/tables.ts";

/**
 * Removes a departing member from teams, deletes the member's drafts, and schedules the release of the member's
 * conversations, which then wait for a person again. Runs in the transaction that removes the member. The release is a
 * single statement, because a member can have thousands of conversations.
 */
export async function scheduleRelease(
  trx: Transaction<Tables>,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<void> {
  await trx
    .deleteFrom("teamMembers")
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .execute();
  await trx
    .deleteFrom("messageDrafts")
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .execute();
  await trx
    .insertInto("handoffTimers")
    .columns(["conversationId", "kind", "organizationId", "handoffId", "step", "dueAt"])
    .expression(
      trx
        .selectFrom("conversations")
        .innerJoin("handoffs", "handoffs.conversationId", "conversations.id")
        .select(["conversations.id", sql.lit("left").as("kind"), "conversations.organizationId"])
        .select(["handoffs.id as handoffId", sql.lit(0).as("step"), sql.lit(Date.now()).as("dueAt")])
        .where("conversations.organizationId", "=", organizationId)
        .where("conversations.handler", "=", "human")
        .where("conversations.assigneeId", "=", userId)
        .where("handoffs.endedAt", "is", null) as never,
    )
    .onConflict((conflict) => conflict.columns(["conversationId", "kind"]).doNothing())
    .execute();
}
