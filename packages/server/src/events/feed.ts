import {
  type EventFeed,
  type EventQuery,
  type WebhookEvent,
  type WebhookEventType,
  webhookEventTypes,
} from "@foyer/contract";
import { sql } from "kysely";
import { takeWithinBytes } from "../db/page-bytes.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../errors.ts";
import { assignPositions } from "./assign-positions.ts";
import { toEvent } from "./event-view.ts";
import type { EventListeners } from "./listeners.ts";

const PAGE = { default: 100, max: 1_000 };
/** Reading events and writing them as JSON takes about 10 ms per megabyte. */
const PAGE_BYTES = 4 * 1024 * 1024;

/**
 * The feed of an organization's events. Readers give the events their positions, one reader at a time, after the events
 * were committed. An event that commits late therefore comes after everything that was read before, and a cursor cannot
 * skip it. The events of a conversation keep their order, because each is written after the previous one was committed.
 */
export function createFeedService({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">, listeners: EventListeners) {
  async function readFeed(organizationId: string) {
    return db.selectFrom("eventFeeds").selectAll().where("organizationId", "=", organizationId).executeTakeFirst();
  }

  return {
    async get(organizationId: string): Promise<EventFeed> {
      return { isEnabled: (await readFeed(organizationId))?.isEnabled === 1 };
    },
    async put(organizationId: string, { isEnabled }: EventFeed): Promise<EventFeed> {
      const flag = isEnabled ? 1 : 0;
      await db
        .insertInto("eventFeeds")
        .values({ organizationId, isEnabled: flag, lastPosition: 0, droppedThrough: 0 })
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
      await assignPositions({ db, databaseKind }, organizationId);
      // Read this before the events, so that every position up to it is visible to the query below.
      const { lastPosition: last = 0, droppedThrough = 0 } = (await readFeed(organizationId)) ?? {};
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
      return { events, cursor: String(cursor), hasGap: Number(after) < droppedThrough };
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
