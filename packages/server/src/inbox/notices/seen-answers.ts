import type { Db } from "../../db/open.ts";
import { notFound } from "../../errors.ts";
import { isId } from "../../ids.ts";

/**
 * Records that the visitor has seen the messages up to a position, so that they are not sent by email. The timer is
 * kept, because a message written at the same moment may already rely on it.
 */
export async function recordSeen(db: Db, conversationId: string, position: number): Promise<void> {
  await db
    .updateTable("handoffTimers")
    .set({ step: position + 1 })
    .where("conversationId", "=", conversationId)
    .where("kind", "=", "answer")
    .where("step", "<=", position)
    .execute();
}

/** Records that the visitor has seen that a rating is asked for, so that it is not asked for by email. */
export async function recordRatingSeen(db: Db, conversationId: string): Promise<void> {
  const timers = db.selectFrom("handoffTimers").select("kind").where("conversationId", "=", conversationId);
  // Most conversations have no timer, and reading is cheaper than writing.
  if (!(await timers.where("kind", "=", "rating").executeTakeFirst())) return;
  await db
    .deleteFrom("handoffTimers")
    .where("conversationId", "=", conversationId)
    .where("kind", "=", "rating")
    .execute();
}

/**
 * Records that the visitor has seen the conversation up to a message, or up to its last one.
 * @throws 404 when the conversation has no such message
 */
export async function recordSeenMessage(
  db: Db,
  { organizationId, conversationId }: { organizationId: string; conversationId: string },
  messageId: string | null,
): Promise<void> {
  if (messageId !== null && !isId("msg", messageId)) throw notFound("Message");
  const messages = db
    .selectFrom("messages")
    .innerJoin("conversations", "conversations.id", "messages.conversationId")
    .select("position")
    .where("conversationId", "=", conversationId)
    .where("organizationId", "=", organizationId);
  const seen =
    messageId === null ? messages.orderBy("position", "desc").limit(1) : messages.where("messages.id", "=", messageId);
  const message = await seen.executeTakeFirst();
  if (message) await recordSeen(db, conversationId, message.position);
  else if (messageId !== null) throw notFound("Message");
}
