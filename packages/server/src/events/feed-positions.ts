import type { Db } from "../db/open.ts";
import type { EventFeedRow } from "../db/tables/outbox.ts";

export type FeedPosition = Pick<EventFeedRow, "organizationId" | "lastPosition">;

/** The last position of each organization's feed. Empty when the database predates the feed. */
export async function readFeedPositions(db: Db): Promise<FeedPosition[]> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "eventFeeds")) return [];
  return db.selectFrom("eventFeeds").select(["organizationId", "lastPosition"]).execute();
}

/**
 * Makes the feeds of a restored database continue after these positions. A reader's cursor can be ahead of the backup,
 * and the reader would then miss new events.
 */
export async function continueFeedsAfter(db: Db, positions: readonly FeedPosition[]): Promise<void> {
  for (const { organizationId, lastPosition } of positions) {
    const feed = db.updateTable("eventFeeds").set({ lastPosition }).where("organizationId", "=", organizationId);
    await feed.where("lastPosition", "<", lastPosition).execute();
  }
}
