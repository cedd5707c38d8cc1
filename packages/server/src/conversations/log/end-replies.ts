import { sql, type Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";

/**
 * Ends the replies of these conversations that are still running with the content stored so far, and deletes the empty
 * ones. The transaction has locked the conversations. @returns the ids of the replies that were running
 */
export async function endReplies(trx: Transaction<Tables>, conversationIds: readonly string[]): Promise<string[]> {
  const ended = await trx
    .updateTable("messages")
    .set({ stopReason: "handed_over", stopRequested: 2 })
    .where("conversationId", "in", conversationIds)
    .where("role", "=", "assistant")
    .where("stopReason", "is", null)
    .returning(["id", "conversationId", sql<number>`octet_length(content)`.as("textBytes")])
    .returning(sql<number>`coalesce(octet_length(pieces), 0)`.as("toolBytes"))
    .execute();
  const empty = await trx
    .deleteFrom("messages")
    .where("conversationId", "in", conversationIds)
    .where("stopReason", "=", "handed_over")
    .where("content", "=", "")
    .where("pieces", "is", null)
    .returning("conversationId")
    .execute();
  for (const conversationId of new Set([...ended, ...empty].map((row) => row.conversationId))) {
    const own = ended.filter((row) => row.conversationId === conversationId);
    const removed = empty.filter((row) => row.conversationId === conversationId).length;
    const sum = (of: (row: (typeof own)[number]) => number) => own.reduce((total, row) => total + Number(of(row)), 0);
    await trx
      .updateTable("conversations")
      .set({
        messageCount: sql`"messageCount" - ${removed}`,
        textBytes: sql`"textBytes" + ${sum(({ textBytes }) => textBytes)}`,
        toolBytes: sql`"toolBytes" + ${sum(({ toolBytes }) => toolBytes)}`,
      })
      .where("id", "=", conversationId)
      .execute();
  }
  return ended.map(({ id }) => id);
}
