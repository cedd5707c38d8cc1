import type { SourceErrorCode } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import { type SqlBool, sql, type UpdateObject } from "kysely";
import { databaseNow, msFromNow } from "../../db/database-clock.ts";
import { isDuplicate } from "../../db/database-errors.ts";
import { agentExists } from "../../db/deleted-agents.ts";
import type { SourceRow } from "../../db/tables/documents.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { createLeasedQueue, LeaseLostError } from "../../jobs/leased-queue.ts";
import type { Trx } from "../store.ts";

/** The duration of a lease in milliseconds. */
const SYNC_LEASE_MS = 30_000;
/** The time between the end of a sync and the start of the next one, in milliseconds. */
export const syncIntervals = { manual: null, daily: DAY_MS, weekly: 7 * DAY_MS } as const;

/** A sync, or the deletion of a source, that this process has leased. `fence` identifies the lease. */
export type SyncJob = SourceRow;
export type SyncQueue = ReturnType<typeof createSyncQueue>;

/**
 * A problem that prevented a sync from reading the whole site. The message is meant for members of the organization.
 */
export type SyncProblem = { code: SourceErrorCode; message: string };

/** After this many collisions with other processes in one claim, the remaining sources are left to the next claim. */
const MAX_COLLISIONS = 20;

type QueueDeps = Pick<Deps, "db" | "databaseKind">;
type Executor = Pick<Trx, "updateTable">;

/**
 * The queue of due syncs. An interrupted sync is claimed again and continues. Two sources of an organization with the
 * same host never run at the same time, even in different processes. All times come from the database clock.
 */
export function createSyncQueue(deps: QueueDeps) {
  return { ...leases(deps), ...outcomes(deps) };
}

const updateLeasedJob = (executor: Executor, { id, fence }: SyncJob) =>
  executor.updateTable("sources").where("id", "=", id).where("fence", "=", fence);

function leases(deps: QueueDeps) {
  const isContinued = sql<SqlBool>`state in ('running', 'deleting')`;
  const isHostFree = sql<SqlBool>`not exists (
    select 1 from sources busy where busy."organizationId" = sources."organizationId" and busy.host = sources.host
      and busy.state = 'running')`;
  const queue = createLeasedQueue(deps, {
    table: "sources",
    key: ["id"],
    leaseMs: SYNC_LEASE_MS,
    // The sites of an agent in the trash are not read. A deleted site is still cleaned up.
    claimable: sql<SqlBool>`(${isContinued} or ${isHostFree}) and (state = 'deleting' or ${agentExists("sources")})`,
    onClaim: {
      state: sql`case when state = 'deleting' then state else 'running' end`,
      sync: sql`case when ${isContinued} then sync else sync + 1 end`,
      phase: sql`case when ${isContinued} then phase else 'discovering' end`,
      isComplete: sql`case when ${isContinued} then "isComplete" else 1 end`,
      errorCode: sql`case when ${isContinued} then "errorCode" end`,
      errorMessage: sql`case when ${isContinued} then "errorMessage" end`,
      attempts: sql`case when ${isContinued} then attempts + 1 else 1 end`,
    },
  });

  return {
    ...queue,
    /** Claims one source after the other, because each sync that starts makes other sources of its host unclaimable. */
    async claim(limit: number, exceptOrganizations: readonly string[]): Promise<SyncJob[]> {
      const claimed: SyncJob[] = [];
      for (let collisions = 0; claimed.length < limit && collisions <= MAX_COLLISIONS; ) {
        try {
          const [job] = await queue.claim(1, exceptOrganizations);
          if (!job) break;
          claimed.push(job);
        } catch (error) {
          if (!isDuplicate(error)) throw error;
          // Another process has just started a sync of the same host, which the next attempt sees and skips.
          collisions++;
        }
      }
      return claimed;
    },
  };
}

/** The writes of a lease holder. All throw `LeaseLostError` when another process or a request has taken the lease. */
function outcomes({ db, databaseKind }: QueueDeps) {
  /** Extends the lease and locks it until the end of the transaction. */
  async function hold(executor: Executor, job: SyncJob, changes: Partial<SourceRow> = {}): Promise<void> {
    const held = { attempts: 0, dueAt: msFromNow(databaseKind, SYNC_LEASE_MS), ...changes };
    if ((await updateLeasedJob(executor, job).set(held).executeTakeFirst()).numUpdatedRows === 0n)
      throw new LeaseLostError();
  }

  return {
    hold,
    /** Runs `work` in a transaction that holds the lease. */
    async held<T>(job: SyncJob, work: (trx: Trx) => Promise<T>): Promise<T> {
      return inTransaction(db, async (trx) => {
        await hold(trx, job);
        return work(trx);
      });
    },
    /** Records that the sync may not find all pages, so that missing ones are not considered deleted. */
    markIncomplete: (job: SyncJob): Promise<void> => hold(db, job, { isComplete: 0 }),
    /**
     * Marks the sync as incomplete and records why. Keeps the first problem, because later ones often follow from it.
     */
    async note(job: SyncJob, { code, message }: SyncProblem): Promise<void> {
      await hold(db, job, { isComplete: 0 });
      const noted = { errorCode: code, errorMessage: message };
      await updateLeasedJob(db, job).set(noted).where("errorCode", "is", null).execute();
    },
    /** Ends a sync. A problem replaces the recorded one. */
    async finish(trx: Trx, job: SyncJob, problem: SyncProblem | null): Promise<void> {
      const interval = syncIntervals[job.schedule];
      const changes: UpdateObject<Tables, "sources"> = {
        state: "idle",
        lastSyncAt: databaseNow(databaseKind),
        dueAt: interval === null ? null : msFromNow(databaseKind, interval),
        ...(problem ? { errorCode: problem.code, errorMessage: problem.message } : {}),
      };
      if ((await updateLeasedJob(trx, job).set(changes).executeTakeFirst()).numUpdatedRows === 0n)
        throw new LeaseLostError();
    },
    inTransaction: <T>(work: (trx: Trx) => Promise<T>) => inTransaction(db, work),
  };
}
