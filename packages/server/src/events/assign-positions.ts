import { sql, type Transaction } from "kysely";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { failpoint } from "../failpoints.ts";

type EventDeps = Pick<Deps, "db" | "databaseKind">;

/** Events that get their position in one transaction. */
const POSITIONS_AT_ONCE = 1_000;

/**
 * Gives positions in the feed to the next committed events without one.
 * @returns whether there were any, so there may be more
 */
export async function assignPositions(deps: EventDeps, organizationId: string): Promise<boolean> {
  const unplaced = deps.db
    .selectFrom("events")
    .select("number")
    .where("organizationId", "=", organizationId)
    .where(sql.ref("position"), "is", null)
    .limit(1);
  if (!(await unplaced.executeTakeFirst())) return false;
  await inTransaction(deps.db, (trx) => assignWithin(trx, deps, organizationId));
  failpoint("feed.committed");
  return true;
}

/** In the order in which the events were written. */
async function assignWithin(
  trx: Transaction<Tables>,
  { databaseKind }: Pick<EventDeps, "databaseKind">,
  organizationId: string,
): Promise<void> {
  const feed = await trx
    .selectFrom("eventFeeds")
    .select("lastPosition")
    .where("organizationId", "=", organizationId)
    .$if(databaseKind === "postgres", (query) => query.forUpdate())
    .executeTakeFirst();
  if (!feed) return;
  // A separate statement, so that it sees what was committed while the first one waited for the lock.
  const placed = await sql<{ position: number }>`update events set position = ${feed.lastPosition} + fresh.rank from (
      select number, row_number() over (order by number) as rank from (
        select number from events where "organizationId" = ${organizationId} and position is null
        order by number limit ${POSITIONS_AT_ONCE}
      ) as unplaced
    ) as fresh where events.number = fresh.number returning events.position`.execute(trx);
  // Use the highest position instead of the number of rows: an event that is deleted concurrently leaves a gap, and
  // no position may be assigned twice.
  const lastPosition = placed.rows.reduce((last, { position }) => Math.max(last, position), feed.lastPosition);
  await trx.updateTable("eventFeeds").set({ lastPosition }).where("organizationId", "=", organizationId).execute();
  failpoint("feed.committing");
}
