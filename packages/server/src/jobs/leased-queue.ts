import { type Expression, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { compileOnce } from "../db/compiled-query.ts";
import { databaseNow, msFromNow } from "../db/database-clock.ts";
import type { DatabaseKind } from "../db/database-kind.ts";
import { jsonRows, toJson } from "../db/json-rows.ts";
import type { Db } from "../db/open.ts";
import type { Tables } from "../db/tables.ts";

/**
 * The tables whose rows are jobs. A job may be claimed from `dueAt` on, and a claim sets `dueAt` to the end of the lease.
 * `fence` is the number of the lease. Each claim increases it, and only the holder of the newest lease may write.
 */
export type JobTable = {
  [Table in keyof Tables]: Selectable<Tables[Table]> extends { dueAt: number | null; fence: number } ? Table : never;
}[keyof Tables];

/**
 * Thrown when another process has claimed the job, or the job was stopped. Nothing may be written for it afterwards.
 */
export class LeaseLostError extends Error {
  constructor() {
    super("The lease was lost.");
  }
}

export type LeasedQueue<Job> = {
  leaseMs: number;
  /** Leases due jobs, the oldest first, except those of the organizations in `exceptOrganizations`. */
  claim(limit: number, exceptOrganizations: readonly string[]): Promise<Job[]>;
  /** Extends the leases. @returns the jobs whose lease was lost */
  renew(jobs: readonly Job[]): Promise<readonly Job[]>;
  /** Releases the job. It can be claimed again after `waitMs`. */
  release(job: Job, waitMs: number): Promise<void>;
};

type Lease = { fence: number };
type Executor = Pick<Db, "updateTable">;
type Database = { db: Db; databaseKind: DatabaseKind };

type QueueOptions<Table extends JobTable> = {
  table: Table;
  /** the columns of the primary key */
  key: ReadonlyArray<keyof Tables[Table] & string>;
  leaseMs: number;
  /** which due jobs may be claimed; all by default */
  claimable?: Expression<SqlBool>;
  /** what a claim changes besides the lease */
  onClaim?: { [Column in keyof Tables[Table]]?: RawBuilder<unknown> };
};

/**
 * Creates a queue of jobs that several processes share. Each claim leases a job, and the lease is renewed while the job
 * runs. After a crash, another process claims the job when the lease expires. All times come from the database's clock,
 * so clock differences between processes do not matter.
 */
export function createLeasedQueue<Table extends JobTable>(
  { db, databaseKind }: Database,
  { table, key, leaseMs, claimable, onClaim = {} }: QueueOptions<Table>,
) {
  type Job = Selectable<Tables[Table]> & Lease;
  const buildClaim = (limit: number, exceptOrganizations: readonly string[]) =>
    leaseDue<Job>(
      { db, databaseKind },
      {
        table,
        key,
        limit,
        leaseMs,
        changes: onClaim,
        where: [
          ...(claimable ? [claimable] : []),
          ...(exceptOrganizations.length > 0 ? [isOfNone(exceptOrganizations)] : []),
        ],
      },
    );
  const claimAny = compileOnce<{ limit: number }, Job>((param) => buildClaim(param("limit"), []));
  const renewLeases = compileRenewal({ db, databaseKind }, { table, key });

  const updateHeld = (executor: Executor, job: Job) =>
    executor
      .updateTable(table as JobTable)
      .where("fence", "=", job.fence)
      .where(({ and, eb }) => and(key.map((column) => eb(sql.ref(column), "=", job[column as keyof Job]))));

  return {
    leaseMs,
    async claim(limit: number, exceptOrganizations: readonly string[]): Promise<Job[]> {
      if (exceptOrganizations.length === 0) return (await claimAny(db, { limit })).rows;
      return (await db.executeQuery<Job>(buildClaim(limit, exceptOrganizations).compile())).rows;
    },
    renew: (jobs: readonly Job[]): Promise<Job[]> => renewLeases(jobs, leaseMs),
    /** Extends the lease of one job before a write that only its holder may make. @throws LeaseLostError */
    async extend(job: Job): Promise<void> {
      const extended = await updateHeld(db, job)
        .set({ dueAt: msFromNow(databaseKind, leaseMs) })
        .executeTakeFirst();
      if (extended.numUpdatedRows === 0n) throw new LeaseLostError();
    },
    async release(job: Job, waitMs: number, executor: Executor = db): Promise<void> {
      await updateHeld(executor, job)
        .set({ dueAt: msFromNow(databaseKind, waitMs), fence: sql`fence + 1` })
        .execute();
    },
  };
}

type Claim = {
  table: JobTable;
  key: readonly string[];
  limit: number;
  leaseMs: number;
  /** conditions besides the due time */
  where: ReadonlyArray<Expression<SqlBool>>;
  /** what changes besides the lease */
  changes: object;
};

/** Builds the query that leases due jobs, the oldest first. On PostgreSQL, it skips those that another process locks. */
export function leaseDue<Job>({ db, databaseKind }: Database, { table, key, limit, leaseMs, where, changes }: Claim) {
  const due = db
    .selectFrom(table)
    .select(key.map((column) => sql.ref(column).as(column)))
    .where("dueAt", "<=", databaseNow(databaseKind))
    .where(({ and }) => and([...where]))
    .orderBy("dueAt")
    .limit(limit)
    .$if(databaseKind === "postgres", (query) => query.forUpdate().skipLocked());
  return db
    .updateTable(table)
    .set({ fence: sql`fence + 1`, dueAt: msFromNow(databaseKind, leaseMs), ...changes })
    .where(sql<SqlBool>`(${sql.join(key.map((column) => sql.ref(column)))}) in ${due}`)
    .returningAll()
    .$castTo<Job>();
}

const isOfNone = (organizationIds: readonly string[]) =>
  sql<SqlBool>`"organizationId" not in (${sql.join([...organizationIds])})`;

/**
 * @returns a function that extends leases and returns the jobs whose lease was lost. On PostgreSQL, jobs that another
 * transaction locks are left alone: no process can claim them, and waiting could deadlock with that transaction.
 */
function compileRenewal({ db, databaseKind }: Database, { table, key }: { table: JobTable; key: readonly string[] }) {
  const keys = Object.fromEntries(key.map((column) => [column, "text" as const]));
  const buildHeld = (json: string) =>
    db
      .selectFrom(table)
      .innerJoin(jsonRows<Record<string, string | number>>(databaseKind, json, { ...keys, fence: "bigint" }), (join) =>
        join.on(({ and, eb }) =>
          and([...key, "fence"].map((column) => eb(sql.ref(`${table}.${column}`), "=", sql.ref(`rows.${column}`)))),
        ),
      )
      .select(key.map((column) => sql.ref<string>(`${table}.${column}`).as(column)));
  const extend = compileOnce<{ json: string; leaseMs: number }, never>((param) => {
    const unlocked = buildHeld(param("json")).$if(databaseKind === "postgres", (query) =>
      query.forUpdate(table as never).skipLocked(),
    );
    return db
      .updateTable(table)
      .set({ dueAt: msFromNow(databaseKind, param("leaseMs")) })
      .where(sql<SqlBool>`(${sql.join(key.map((column) => sql.ref(column)))}) in ${unlocked}`);
  });
  const readHeld = compileOnce<{ json: string }, Record<string, string>>((param) => buildHeld(param("json")));

  return async <Job extends Lease>(jobs: readonly Job[], leaseMs: number): Promise<Job[]> => {
    const toKey = (row: object) => JSON.stringify(key.map((column) => (row as Record<string, unknown>)[column]));
    const json = toJson(
      jobs.map((job) => Object.fromEntries([...key, "fence"].map((column) => [column, job[column as keyof Job]]))),
    );
    await extend(db, { json, leaseMs });
    const held = new Set((await readHeld(db, { json })).rows.map(toKey));
    return jobs.filter((job) => !held.has(toKey(job)));
  };
}
