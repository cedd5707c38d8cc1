import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import type { RecordEvents } from "./record-events.ts";

const PER_ROUND = 50;

/**
 * Records the events about ratings that visitors changed within a minute of the last event. Each is reported once, with
 * its last value, by whichever process resets its due time.
 * @returns whether there may be more
 */
export async function reportDueRatings({ db }: Pick<Deps, "db">, record: RecordEvents, now: number): Promise<boolean> {
  const due = await db
    .selectFrom("messages")
    .select("id")
    .where("ratingDueAt", "<=", now)
    .orderBy("ratingDueAt")
    .limit(PER_ROUND)
    .execute();
  for (const { id } of due) await reportRating(db, record, { messageId: id, now });
  return due.length === PER_ROUND;
}

async function reportRating(
  db: Deps["db"],
  record: RecordEvents,
  { messageId, now }: { messageId: string; now: number },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const message = await trx
      .updateTable("messages")
      .set({ ratingDueAt: null })
      .where("id", "=", messageId)
      .where("ratingDueAt", "<=", now)
      .returning(["conversationId", "feedback", "feedbackComment", "ratingReported"])
      .executeTakeFirst();
    if (!message?.feedback) return;
    const data = { rating: message.feedback, comment: message.feedbackComment };
    const reported = JSON.stringify(data);
    // The visitor has returned to the rating that was reported.
    if (reported === message.ratingReported) return;
    const conversation = await trx
      .selectFrom("conversations")
      .select(["organizationId", "agentId"])
      .where("id", "=", message.conversationId)
      .executeTakeFirst();
    if (!conversation) return;
    const place = { ...conversation, conversationId: message.conversationId };
    await trx
      .updateTable("messages")
      .set({ ratingReported: reported, ratingReportedAt: now })
      .where("id", "=", messageId)
      .where("conversationId", "=", message.conversationId)
      .execute();
    await record(trx, [{ ...place, type: "message.rated", data: () => ({ messageId, ...data }) }]);
  });
}
