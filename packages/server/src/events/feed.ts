import {
  type EventFeed,
  type EventQuery,
  type WebhookEvent,
  type WebhookEventType,
  webhookEventTypes,
} from "@foyer/contract";
import { sql, type Transaction } from "kysely";
import { takeWithinBytes } from "../db/page-bytes.ts";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../errors.ts";
import { failpoint } from "../failpoints.ts";
import { toEvent } from "./event-view.ts";
import type { EventListeners } from "./listeners.ts";

const PAGE = { default: 100, max: 1_000 };
/** Reading events and writing them as JSON takes about 10 ms per megabyte. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Events that get their position in one transaction. */
const POSITIONS_AT_ONCE = 1_000;

/**
 * The feed of an organization's events. Readers give the events their positions, one reader at a time, after the events
 * were committed. An event that commits late therefore comes after everything that was read before, and a cursor cannot
 * skip it. The events of a conversation keep their order, because each is written after the previous one was committed.
 */
export function createFeedService({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">, listeners: EventListeners) {
  async function readFeed(organizationId: string) {
    return db.selectFrom("eventFeeds").selectAll().where("organizationId", "=", organizationId).executeTakeFirst();
  }

  /** Gives positions to committed events without one, in the order in which they were written. */
  async function assignPositions(trx: Transaction<Tables>, organizationId: string): Promise<void> {
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

  async function assignNewPositions(organizationId: string): Promise<void> {
    const unplaced = db
      .selectFrom("events")
      .select("number")
      .where("organizationId", "=", organizationId)
      .where(sql.ref("position"), "is", null)
      .limit(1);
    if (!(await unplaced.executeTakeFirst())) return;
    await inTransaction(db, (trx) => assignPositions(trx, organizationId));
    failpoint("feed.committed");
  }

  return {
    async get(organizationId: string): Promise<EventFeed> {
      return { isEnabled: (await readFeed(organizationId))?.isEnabled === 1 };
    },
    async put(organizationId: string, { isEnabled }: EventFeed): Promise<EventFeed> {
      const flag = isEnabled ? 1 : 0;
      await db
        .insertInto("eventFeeds")
        .values({ organizationId, isEnabled: flag, lastPosition: 0 })
        .onConflict((conflict) => conflict.column("organizationId").doUpdateSet({ isEnabled: flag }))
        .execute();
      listeners.forget(organizationId);
      return { isEnabled };
    },
    /** @throws 409 while the feed is off, 400 for a cursor or an event type that does not exist */
    async list(organizationId: string, { after = "0", kinds, limit }: EventQuery) {
      if (!/^\d{1,15}$/.test(after)) throw invalid("after", "is not a cursor of this feed", "format");
      const types = parseTypes(kinds);
      if ((await readFeed(organizationId))?.isEnabled !== 1) {
        throw new AppError("CONFLICT", "The event feed is off. Switch it on with PUT /events/feed.");
      }
      await assignNewPositions(organizationId);
      // Read this before the events, so that every position up to it is visible to the query below.
      const last = (await readFeed(organizationId))?.lastPosition ?? 0;
      const pageSize = Math.min(limit ?? PAGE.default, PAGE.max);
      const sizes = await db
        .selectFrom("events")
        .select(["id", "position", sql<number>`octet_length(data)`.as("bytes")])
        .where("organizationId", "=", organizationId)
        .where("position", ">", Number(after))
        .where("position", "<=", last)
        .$if(types !== null, (query) => query.where("type", "in", types ?? []))
        .orderBy("position")
        .limit(pageSize)
        .execute();
      const chosen = takeWithinBytes(sizes, PAGE_BYTES);
      const isComplete = chosen.length === sizes.length && sizes.length < pageSize;
      // If the page is complete, no event of the requested types lies between the last event of the page and the newest
      // position.
      const cursor = isComplete ? Math.max(last, Number(after)) : (chosen.at(-1)?.position ?? after);
      const ids = chosen.map(({ id }) => id);
      const rows =
        ids.length === 0
          ? []
          : await db
              .selectFrom("events")
              .selectAll()
              // An expression, so that SQLite looks up the ids instead of reading the organization's feed in order.
              .where(sql`"organizationId" || ''`, "=", organizationId)
              .where("id", "in", ids)
              .orderBy("position")
              .execute();
      const events: WebhookEvent[] = rows.map((row) => toEvent(row, "full"));
      return { events, cursor: String(cursor) };
    },
  };
}

function parseTypes(kinds: string | undefined): WebhookEventType[] | null {
  if (kinds === undefined || kinds.trim() === "") return null;
  return kinds.split(",").map((text) => {
    const type = webhookEventTypes.find((known) => known === text.trim());
    if (!type) throw invalid("kinds", `${text.trim()} is not an event type`, "enum");
    return type;
  });
}
