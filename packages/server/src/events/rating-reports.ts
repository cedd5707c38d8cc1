import type { ConversationLog } from "../conversations/log/log.ts";
import type { Deps } from "../deps.ts";

const PER_ROUND = 50;

/**
 * Reports ratings that visitors changed within a minute of the last event. Each is reported once, with its last value.
 * @returns whether there may be more
 */
export async function reportDueRatings(
  { db }: Pick<Deps, "db">,
  log: Pick<ConversationLog, "reportRating">,
  now: number,
): Promise<boolean> {
  const due = await db
    .selectFrom("messages")
    .select("id")
    .where("ratingDueAt", "<=", now)
    .orderBy("ratingDueAt")
    .limit(PER_ROUND)
    .execute();
  for (const { id } of due) await log.reportRating(id, now);
  return due.length === PER_ROUND;
}
