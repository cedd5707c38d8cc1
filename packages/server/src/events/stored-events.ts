import { sql } from "kysely";
import { readPagesById } from "../db/pages-by-id.ts";
import type { Deps } from "../deps.ts";
import { assignPositions } from "./assign-positions.ts";
import { deleteOldestEvents } from "./retention.ts";

type EventDeps = Pick<Deps, "db" | "databaseKind">;

const ORGANIZATIONS_PER_PAGE = 200;

/**
 * Deletes the oldest events of each organization beyond `max` (0: any number is kept), with their deliveries.
 * @returns the number of deleted events
 */
export async function deleteEventsBeyond(deps: EventDeps, max: number): Promise<number> {
  if (max === 0) return 0;
  const pages = readPagesById(ORGANIZATIONS_PER_PAGE, (after) =>
    deps.db
      .selectFrom("organizations")
      .leftJoin("eventFeeds", "eventFeeds.organizationId", "organizations.id")
      .select(["organizations.id", "droppedThrough"])
      .where("organizations.id", ">", after)
      .orderBy("organizations.id")
      .limit(ORGANIZATIONS_PER_PAGE)
      .execute(),
  );
  let deleted = 0;
  for await (const organizations of pages) {
    for (const { id, droppedThrough } of organizations) {
      deleted += await (droppedThrough === null
        ? deleteWithoutFeed(deps, id, max)
        : deleteFromFeed(deps, { organizationId: id, droppedThrough, max }));
    }
  }
  return deleted;
}

async function deleteWithoutFeed(deps: EventDeps, organizationId: string, max: number): Promise<number> {
  const newest = await deps.db
    .selectFrom("events")
    .select("number")
    .where("organizationId", "=", organizationId)
    .where(sql.ref("position"), "is", null)
    .orderBy("number", "desc")
    .offset(max)
    .limit(1)
    .executeTakeFirst();
  return newest ? deleteOldestEvents(deps, { organizationId, column: "number", value: newest.number }) : 0;
}

/** Events get their positions first, so that readers of the feed learn that some are missing. */
async function deleteFromFeed(
  deps: EventDeps,
  { organizationId, droppedThrough, max }: { organizationId: string; droppedThrough: number; max: number },
): Promise<number> {
  while (await assignPositions(deps, organizationId));
  const feeds = deps.db.selectFrom("eventFeeds").select("lastPosition").where("organizationId", "=", organizationId);
  const value = ((await feeds.executeTakeFirst())?.lastPosition ?? 0) - max;
  if (value <= droppedThrough) return 0;
  await deps.db
    .updateTable("eventFeeds")
    .set({ droppedThrough: value })
    .where("organizationId", "=", organizationId)
    .execute();
  return deleteOldestEvents(deps, { organizationId, column: "position", value });
}
