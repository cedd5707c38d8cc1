import { type Compilable, type CompiledQuery, sql } from "kysely";
import { AppError } from "../errors.ts";
import { createFairPool, type PoolOptions } from "../pools/fair-pool.ts";
import type { OpenDatabase } from "./open.ts";
import type { ReadRequest, ReadResult } from "./sqlite/read-thread.ts";
import { createTaskThread } from "./sqlite/thread-tasks.ts";
import { withStatementTimeout } from "./statement-timeout.ts";

/**
 * Searches have their own lane, so a search that takes seconds does not delay lists. On PostgreSQL, an organization runs
 * up to three lists and one search at a time (see `freeFactor` of the pool).
 */
const lanes = {
  list: { timeoutMs: 5_000, connections: 4, freeFactor: 3 },
  search: { timeoutMs: 10_000, connections: 2, freeFactor: 1 },
} as const;
type LaneName = keyof typeof lanes;

/** Limits the reads that wait for a lane or for the search thread, per organization and in total. */
export const waitingReads = {
  maxWaitingPerOwner: 10,
  maxWaiting: 200,
  messages: { busy: "Too many searches and lists are waiting. Try again in a moment." },
  retryAfter: 2,
} satisfies Partial<PoolOptions>;

/** `owner` is the organization for which the data is read. */
type ReadOptions = { lane: LaneName; owner: string };

/**
 * Runs reads whose duration grows with the stored data. SQLite runs inside the process, so its reads use a worker
 * thread with a read-only connection and never block the event loop. PostgreSQL reads have a statement timeout. Every
 * read sees all data that was committed before it began.
 */
export type BackgroundReads = {
  /** @throws AppError 503 when the read takes too long or too many reads are waiting */
  run<Row>(query: Compilable<Row>, options: ReadOptions): Promise<Row[]>;
  close(): Promise<void>;
};

/** @param timeouts shorter time limits for tests */
export function createBackgroundReads(
  { db, kind, address }: OpenDatabase,
  timeouts: Partial<Record<LaneName, number>> = {},
): BackgroundReads {
  const timeoutForLane = (lane: LaneName) => timeouts[lane] ?? lanes[lane].timeoutMs;
  const createLane = (lane: LaneName) => {
    const { connections, freeFactor } = lanes[lane];
    const size = kind === "sqlite" ? 1 : connections;
    return createFairPool({ ...waitingReads, name: `reads_${lane}`, size, maxPerOwner: size, freeFactor });
  };
  const readLanes = { list: createLane("list"), search: createLane("search") };

  if (address.kind === "sqlite") {
    const threads = { list: createReadThread(address.file), search: createReadThread(address.file) };
    return {
      async run<Row>(query: Compilable<Row>, { lane, owner }: ReadOptions) {
        const compiled = query.compile();
        return readLanes[lane].run({ owner }, () => threads[lane].read<Row>(compiled, timeoutForLane(lane)));
      },
      async close() {
        await Promise.all([threads.list.stop(), threads.search.stop()]);
      },
    };
  }
  return {
    async run<Row>(query: Compilable<Row>, { lane, owner }: ReadOptions) {
      const compiled = query.compile();
      return readLanes[lane].run({ owner }, () =>
        readFromPostgres<Row>(db, compiled, { lane, timeoutMs: timeoutForLane(lane) }),
      );
    },
    async close() {},
  };
}

function tooSlowError(): AppError {
  return new AppError(
    "OVERLOADED",
    "There is too much data to complete this request in time. Narrow it down, for example with from and to, or with one visitor.",
    { retryAfter: 10 },
  );
}

async function readFromPostgres<Row>(
  db: OpenDatabase["db"],
  query: CompiledQuery<Row>,
  { lane, timeoutMs }: { lane: LaneName; timeoutMs: number },
) {
  try {
    // PostgreSQL cancels the statement. The client waits a little longer to receive that error.
    return await withStatementTimeout(timeoutMs + 2_000, () =>
      db.transaction().execute(async (trx) => {
        await sql`set local statement_timeout = ${sql.lit(timeoutMs)}`.execute(trx);
        // PostgreSQL does not know how long reading the index keys of all conversations takes, which are stored outside
        // of their rows.
        if (lane === "search") await sql`set local enable_seqscan = off`.execute(trx);
        return (await trx.executeQuery<Row>(query)).rows;
      }),
    );
  } catch (error) {
    const isLate = typeof error === "object" && error !== null && "code" in error && error.code === QUERY_CANCELED;
    throw isLate ? tooSlowError() : error;
  }
}

const QUERY_CANCELED = "57014";

/** How long after its deadline a thread that is still running its statement is terminated, in milliseconds. */
const GRACE_MS = 1_000;

function createReadThread(file: string) {
  const module = new URL("./sqlite/read-thread.ts", import.meta.url);
  const thread = createTaskThread<Omit<ReadRequest, "id">, ReadResult>({ module, workerData: { file }, name: "read" });
  return {
    stop: thread.stop,
    async read<Row>({ sql: text, parameters }: CompiledQuery<Row>, timeoutMs: number): Promise<Row[]> {
      const result = await thread.run({ sql: text, parameters, timeoutMs }, timeoutMs + GRACE_MS);
      if (result === null) throw tooSlowError();
      if ("rows" in result) return result.rows as Row[];
      throw result.isLate ? tooSlowError() : Object.assign(new Error(result.message), { code: result.code });
    },
  };
}
