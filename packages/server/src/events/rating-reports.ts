import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { ConversationLog } from "../conversations/log/log.ts";
import type { Deps } from "../deps.ts";

const PER_ROUND = 50;
/** The delay before a rating that could not be reported is retried, so that it does not delay the others. */
const RETRY_MS = 5 * MINUTE_MS;

/**
 * Reports ratings that visitors changed within a minute of the last event. Each is reported once, with its last value.
 * @returns whether there may be more
 */
export async function reportDueRatings(
  { db, log }: Pick<Deps, "db" | "log">,
  conversationLog: Pick<ConversationLog, "reportRating" | "postponeRating">,
  now: number,
): Promise<boolean> {
  const due = await db
    .selectFrom("messages")
    .select("id")
    .where("ratingDueAt", "<=", now)
    .orderBy("ratingDueAt")
    .limit(PER_ROUND)
    .execute();
  for (const { id } of due) {
    try {
      await conversationLog.reportRating(id, now);
    } catch (error) {
      await conversationLog.postponeRating(id, now + RETRY_MS);
      log.error({ err: error, messageId: id }, "a rating could not be reported; retrying in five minutes");
    }
  }
  return due.length === PER_ROUND;
}
