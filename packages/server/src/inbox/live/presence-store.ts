import type { Transaction } from "kysely";
import type { Db } from "../../db/open.ts";
import type { LivePresenceRow } from "../../db/tables/presence.ts";
import type { Tables } from "../../db/tables.ts";

/**
 * The maximum number of rows that one query reads. If more people are typing at the same time, the others are announced
 * a moment later.
 */
const MAX_ROWS = 1_000;
const MAX_WRITTEN = 200;

/** What a row has in place of a conversation: its member has the inbox open, or uses it. */
export const INBOX = "";
export const IN_USE = "in_use";

/** Inserts rows, and extends the validity of existing ones. */
export async function upsertPresence(db: Db, rows: readonly LivePresenceRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += MAX_WRITTEN) {
    await db
      .insertInto("livePresence")
      .values(rows.slice(from, from + MAX_WRITTEN))
      .onConflict((conflict) =>
        conflict
          .columns(["organizationId", "conversationId", "who"])
          .doUpdateSet((set) => ({ until: set.ref("excluded.until") }))
          .whereRef("livePresence.until", "<", "excluded.until"),
      )
      .execute();
  }
}

/** The rows of these organizations that are still valid at `now` (milliseconds). */
export async function readCurrent(db: Db, organizationIds: readonly string[], now: number): Promise<LivePresenceRow[]> {
  if (organizationIds.length === 0) return [];
  return db
    .selectFrom("livePresence")
    .selectAll()
    .where("organizationId", "in", organizationIds)
    .where("until", ">", now)
    .orderBy("until", "desc")
    .limit(MAX_ROWS)
    .execute();
}

/**
 * Deletes the rows that expired before this time (milliseconds). There are few of them: one for each person who typed
 * recently.
 */
export async function deletePresenceBefore(db: Db, before: number): Promise<number> {
  return Number((await db.deleteFrom("livePresence").where("until", "<", before).executeTakeFirst()).numDeletedRows);
}

/** Whether a process has reported that the member uses the inbox. */
export async function isReported(
  trx: Transaction<Tables>,
  { organizationId, userId }: { organizationId: string; userId: string },
  now: number,
): Promise<boolean> {
  const row = await trx
    .selectFrom("livePresence")
    .select("until")
    .where("organizationId", "=", organizationId)
    .where("conversationId", "=", IN_USE)
    .where("who", "=", userId)
    .where("until", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores whether the member is away. */
export async function updateAway(
  db: Db,
  { organizationId, userId }: { organizationId: string; userId: string },
  isAway: boolean,
): Promise<void> {
  await db
    .updateTable("members")
    .set({ isAway: isAway ? 1 : 0 })
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .execute();
}

/** Whether the member is away, or no longer a member. */
export async function isAway(
  executor: Pick<Db, "selectFrom">,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<boolean> {
  const member = await executor
    .selectFrom("members")
    .select("isAway")
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .executeTakeFirst();
  return member?.isAway !== 0;
}
