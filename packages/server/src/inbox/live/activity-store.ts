import type { Db } from "../../db/open.ts";
import type { ConversationActivityRow } from "../../db/tables/presence.ts";

/** Maximum rows that one query reads. */
export const MAX_READ = 1_000;
const MAX_WRITTEN = 200;

/** The organizations in which a member has the inbox open in some process. */
export async function listOrganizationsWithInbox(db: Db, now: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom("livePresence")
    .select("organizationId")
    .distinct()
    .where("conversationId", "=", "")
    .where("until", ">", now)
    .execute();
  return new Set(rows.map(({ organizationId }) => organizationId));
}

export async function writeActivity(db: Db, rows: readonly ConversationActivityRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += MAX_WRITTEN) {
    await db
      .insertInto("conversationActivity")
      .values(rows.slice(from, from + MAX_WRITTEN))
      .onConflict((conflict) =>
        conflict.columns(["organizationId", "conversationId"]).doUpdateSet((set) => ({ at: set.ref("excluded.at") })),
      )
      .execute();
  }
}

/** What happened in these organizations since the given time, newest first. */
export async function readActivitySince(
  db: Db,
  organizationIds: readonly string[],
  since: number,
): Promise<ConversationActivityRow[]> {
  return db
    .selectFrom("conversationActivity")
    .selectAll()
    .where("organizationId", "in", organizationIds)
    .where("at", ">=", since)
    .orderBy("at", "desc")
    .limit(MAX_READ)
    .execute();
}

export async function deleteActivityBefore(db: Db, before: number): Promise<number> {
  return Number(
    (await db.deleteFrom("conversationActivity").where("at", "<", before).executeTakeFirst()).numDeletedRows,
  );
}
