import type { Db } from "../../db/open.ts";

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
