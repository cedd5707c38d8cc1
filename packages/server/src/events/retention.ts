import { deleteBySize } from "../db/clean-up.ts";
import { eventBytes } from "../db/event-rows.ts";
import type { Db } from "../db/open.ts";
import { firstIdAt } from "../ids.ts";

/** Deletes events, with their deliveries, recorded before this instant (in milliseconds). @returns the number deleted */
export function deleteWebhookEventsBefore(db: Db, before: number): Promise<number> {
  return deleteEvents(db, { before });
}

/**
 * Deletes an agent's events, with their deliveries, recorded before this instant (in milliseconds), or all of them.
 * @returns the number deleted
 */
export function deleteWebhookEventsOf(db: Db, agentId: string, before?: number): Promise<number> {
  return deleteEvents(db, { agentId, ...(before === undefined ? {} : { before }) });
}

function deleteEvents(db: Db, { before, agentId }: { before?: number; agentId?: string }): Promise<number> {
  return deleteBySize(db, {
    next: (trx, limit) =>
      trx
        .selectFrom("events")
        .select(["id", eventBytes.as("bytes")])
        // Ids sort by creation time.
        .$if(before !== undefined, (query) => query.where("id", "<", firstIdAt("evt", before ?? 0)))
        .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId ?? ""))
        .orderBy("id")
        .limit(limit)
        .execute(),
    async remove(trx, rows) {
      const ids = rows.map(({ id }) => id);
      await trx.deleteFrom("events").where("id", "in", ids).execute();
    },
  });
}
