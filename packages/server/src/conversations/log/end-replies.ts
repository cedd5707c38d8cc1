import { sql, type Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";

/**
 * Ends the replies that are still running with the content stored so far, and deletes the empty ones. The transaction
 * has locked the conversation. @returns the ids of the replies that were running
 */
export async function endReplies(trx: Transaction<Tables>, conversationId: string): Promise<string[]> {
  const ended = await trx
    .updateTable("messages")
    .set({ stopReason: "handed_over", stopRequested: 2 })
    .where("conversationId", "=", conversationId)
    .where("role", "=", "assistant")
    .where("stopReason", "is", null)
    .returning(["id", sql<number>`octet_length(content)`.as("textBytes")])
    .returning(sql<number>`coalesce(octet_length(pieces), 0)`.as("toolBytes"))
    .execute();
  const empty = await trx
    .deleteFrom("messages")
    .where("conversationId", "=", conversationId)
    .where("stopReason", "=", "handed_over")
    .where("content", "=", "")
    .where("pieces", "is", null)
    .returning("id")
    .execute();
  if (ended.length > 0 || empty.length > 0) {
    const sum = (of: (row: (typeof ended)[number]) => number) =>
      ended.reduce((total, row) => total + Number(of(row)), 0);
    await trx
      .updateTable("conversations")
      .set({
        messageCount: sql`"messageCount" - ${empty.length}`,
        textBytes: sql`"textBytes" + ${sum(({ textBytes }) => textBytes)}`,
        toolBytes: sql`"toolBytes" + ${sum(({ toolBytes }) => toolBytes)}`,
      })
      .where("id", "=", conversationId)
      .execute();
  }
  return ended.map(({ id }) => id);
}
