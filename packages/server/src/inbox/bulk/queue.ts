import { sql } from "kysely";
import type { BulkActionRow } from "../../db/tables/inbox.ts";
import type { Deps } from "../../deps.ts";
import { createLeasedQueue } from "../../jobs/leased-queue.ts";

/** A bulk action that this process runs. `fence` identifies the lease. */
export type BulkJob = BulkActionRow & { fence: number };

/** How long a lease lasts, in milliseconds. If the process crashes, another one continues after this time. */
const LEASE_MS = 15_000;

export function createBulkQueue({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  return createLeasedQueue(
    { db, databaseKind },
    // Progress resets the number of failures.
    { table: "bulkActions", key: ["id"], leaseMs: LEASE_MS, onClaim: { failures: sql`failures + 1` } },
  );
}
