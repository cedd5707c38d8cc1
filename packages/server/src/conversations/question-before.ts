import type { Db } from "../db/open.ts";

/** The visitor's message that the reply at a position responds to, or null. */
export async function readQuestionBefore(trx: Db, conversationId: string, position: number): Promise<string | null> {
  const asked = await trx
    .selectFrom("messages")
    .select("content")
    .where("conversationId", "=", conversationId)
    .where("position", "<", position)
    .where("role", "=", "user")
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst();
  return asked?.content ?? null;
}
