import type { Db } from "../db/open.ts";
import type { EventFeedRow } from "../db/outbox-tables.ts";

type FeedPosition = Pick<EventFeedRow, "organizationId" | "lastPosition">;

/** How far each organization's feed goes, or nothing when the database is from before the feed. */
export async function readFeedPositions(db: Db): Promise<FeedPosition[]> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "eventFeeds")) return [];
  return db.selectFrom("eventFeeds").select(["organizationId", "lastPosition"]).execute();
}

/**
 * Continues the feeds of a restored database after these positions. A reader's cursor can be beyond what the backup
 * contains, and would skip as many new events.
 */
export async function continueFeedsAfter(db: Db, positions: readonly FeedPosition[]): Promise<void> {
  for (const { organizationId, lastPosition } of positions) {
    const feed = db.updateTable("eventFeeds").set({ lastPosition }).where("organizationId", "=", organizationId);
    await feed.where("lastPosition", "<", lastPosition).execute();
  }
}
