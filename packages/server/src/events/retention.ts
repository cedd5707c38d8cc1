import { sql } from "kysely";
import { deleteBySize } from "../db/clean-up.ts";
import { eventBytes } from "../db/event-rows.ts";
import type { Db } from "../db/open.ts";
import type { Deps } from "../deps.ts";
import { firstIdAt } from "../ids.ts";
import { recordSentHosts } from "../outbox/sent-hosts.ts";

type EventDeps = Pick<Deps, "db" | "databaseKind">;

/**
 * Deletes events, with their deliveries, recorded before this instant (in milliseconds). @returns the number deleted
 */
export function deleteWebhookEventsBefore(deps: EventDeps, before: number): Promise<number> {
  return deleteEvents(deps.db, { before, databaseKind: deps.databaseKind });
}

/**
 * Deletes an agent's events, with their deliveries, recorded before this instant (in milliseconds).
 * @returns the number deleted
 */
export function deleteAgentEventsBefore(deps: EventDeps, agentId: string, before: number): Promise<number> {
  return deleteEvents(deps.db, { agentId, before, databaseKind: deps.databaseKind });
}

/** Deletes all events of an agent. Its conversations are deleted separately. @returns the number deleted */
export function deleteWebhookEvents(db: Db, agentId: string): Promise<number> {
  return deleteEvents(db, { agentId });
}

/**
 * Deletes the oldest events of an organization, up to this position in its feed, or this number without a feed.
 * @returns the number deleted
 */
export function deleteOldestEvents(deps: EventDeps, through: NonNullable<Deletion["through"]>): Promise<number> {
  return deleteEvents(deps.db, { through, databaseKind: deps.databaseKind });
}

/** `databaseKind` is set if the receivers of the events must be stored for erasure receipts. */
type Deletion = {
  before?: number;
  agentId?: string;
  /** the events of an organization up to this one */
  through?: { organizationId: string; column: "position" | "number"; value: number };
  databaseKind?: Deps["databaseKind"];
};

function deleteEvents(db: Db, { before, agentId, through, databaseKind }: Deletion): Promise<number> {
  return deleteBySize(db, {
    next: (trx, limit) =>
      trx
        .selectFrom("events")
        .select(["id", eventBytes.as("bytes")])
        // Ids start with their creation time, so they sort by it.
        .$if(before !== undefined, (query) => query.where("id", "<", firstIdAt("evt", before ?? 0)))
        .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId ?? ""))
        .$if(through !== undefined, (query) =>
          query
            .where("organizationId", "=", through?.organizationId ?? "")
            .where(sql.ref(through?.column ?? "number"), "<=", through?.value ?? 0),
        )
        .orderBy(through === undefined ? "id" : sql.ref(through.column))
        .limit(limit)
        .execute(),
    async remove(trx, rows) {
      const ids = rows.map(({ id }) => id);
      if (databaseKind) await recordSentHosts({ db, databaseKind }, trx, { column: "eventId", ids });
      await trx.deleteFrom("events").where("id", "in", ids).execute();
    },
  });
}
