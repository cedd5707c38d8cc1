import { MINUTE_MS } from "@foyer/contract/rules/time";
import { type RawBuilder, sql } from "kysely";
import { LRUCache } from "lru-cache";
import { compileOnce } from "../db/compiled-query.ts";
import { databaseNow } from "../db/database-clock.ts";
import type { Db } from "../db/open.ts";

const MAX_ORGANIZATIONS = 10_000;

/** An organization's calls in this clock minute, including this one. Times are in milliseconds since 1970. */
export type MinuteCount = { calls: number; now: number; endsAt: number };

/** Counts a call. `calls` is exact up to `limit`; beyond that it is only known to exceed the limit. */
type CountCall = (organizationId: string, limit: number) => MinuteCount | Promise<MinuteCount>;

export type CallCounter = CountCall & {
  /** Returns the organization's calls in this clock minute without counting one. */
  current(organizationId: string): number | Promise<number>;
};

/** Counts in memory, by the process's clock. For a single process. */
export function createLocalCounter(clock: () => number = Date.now): CallCounter {
  let minute = 0;
  let counts = new Map<string, number>();
  const count: CountCall = (organizationId) => {
    const now = clock();
    const current = Math.floor(now / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      counts = new Map();
    }
    const calls = (counts.get(organizationId) ?? 0) + 1;
    counts.set(organizationId, calls);
    return { calls, now, endsAt: (minute + 1) * MINUTE_MS };
  };
  const readCurrent = (organizationId: string) =>
    Math.floor(clock() / MINUTE_MS) === minute ? (counts.get(organizationId) ?? 0) : 0;
  return Object.assign(count, { current: readCurrent });
}

/**
 * Counts in PostgreSQL, for processes that share it: one row per organization, one statement per call, and the
 * database's clock, so that all processes agree on the minute. An organization that has reached its limit is not looked
 * up again until the minute is over.
 */
export function createSharedCounter(db: Db, clock: RawBuilder<number> = databaseNow("postgres")): CallCounter {
  const add = addCall(db, clock);
  const full = new LRUCache<string, MinuteCount & { limit: number; askedAt: number }>({ max: MAX_ORGANIZATIONS });

  /**
   * `askedAt` is earlier than the database's time, so this may end slightly too early, in which case the next call is
   * looked up.
   */
  function findKnownFull(organizationId: string, limit: number): MinuteCount | null {
    const cached = full.get(organizationId);
    if (cached?.limit !== limit) return null;
    const now = cached.now + performance.now() - cached.askedAt;
    return now < cached.endsAt ? { calls: limit + 1, now, endsAt: cached.endsAt } : null;
  }

  async function ask(organizationId: string, limit: number): Promise<MinuteCount> {
    const askedAt = performance.now();
    const row = (await add(db, { organizationId })).rows[0];
    if (!row) throw new Error("the call was not counted");
    const count = { calls: row.calls, now: row.now, endsAt: (row.minute + 1) * MINUTE_MS };
    if (count.calls >= limit) full.set(organizationId, { ...count, limit, askedAt });
    return count;
  }

  const count: CountCall = (organizationId, limit) =>
    findKnownFull(organizationId, limit) ?? ask(organizationId, limit);
  return Object.assign(count, {
    async current(organizationId: string): Promise<number> {
      const own = db.selectFrom("planMinutes").select("calls").where("organizationId", "=", organizationId);
      const row = await own.where("minute", "=", sql<number>`${clock} / ${sql.lit(MINUTE_MS)}`).executeTakeFirst();
      return row?.calls ?? 0;
    },
  });
}

type CountRow = { calls: number; minute: number; now: number };

/**
 * Increments the count of the row's minute, or starts a new minute. A call that waited for the row's lock while a new
 * minute began counts in the new one. Any other minute in the row is old, or from before the clock was set back.
 */
function addCall(db: Db, now: RawBuilder<number>) {
  const current = sql`excluded.minute`;
  const row = sql.ref("planMinutes.minute");
  return compileOnce<{ organizationId: string }, CountRow>((param) =>
    db
      .insertInto("planMinutes")
      .values({
        organizationId: param("organizationId"),
        minute: sql<number>`${now} / ${sql.lit(MINUTE_MS)}`,
        calls: 1,
      })
      .onConflict((conflict) =>
        conflict.column("organizationId").doUpdateSet({
          calls: sql<number>`case when ${row} between ${current} and ${current} + 1 then ${sql.ref("planMinutes.calls")} + 1 else 1 end`,
          minute: sql<number>`case when ${row} = ${current} + 1 then ${row} else ${current} end`,
        }),
      )
      .returning(["calls", "minute", now.as("now")]),
  );
}
