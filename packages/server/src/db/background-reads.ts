import { Worker } from "node:worker_threads";
import { type Compilable, type CompiledQuery, sql } from "kysely";
import { AppError } from "../errors.ts";
import type { OpenDatabase } from "./open.ts";
import { createReadLane } from "./read-lane.ts";
import { withStatementTimeout } from "./statement-timeout.ts";

export type ReadRequest = { id: number; sql: string; parameters: readonly unknown[]; timeoutMs: number };
export type ReadResult = { id: number } & ({ rows: unknown[] } | { isLate: boolean; message: string });

/** Searches have their own lane, so a search that takes seconds does not delay lists. */
const lanes = {
  list: { timeoutMs: 5_000, connections: 4 },
  search: { timeoutMs: 10_000, connections: 2 },
} as const;
type LaneName = keyof typeof lanes;

/** `owner` is the organization that the read is for. */
type ReadOptions = { lane: LaneName; owner: string };

/**
 * Runs reads whose duration grows with the stored data. SQLite runs inside the process, so its reads use a worker thread
 * with a read-only connection and never block the event loop. PostgreSQL reads have a statement timeout. Every read sees
 * all data that was committed before it began.
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
  const timeoutOf = (lane: LaneName) => timeouts[lane] ?? lanes[lane].timeoutMs;
  const turns = (lane: LaneName) => createReadLane(kind === "sqlite" ? 1 : lanes[lane].connections);
  const turnsOf = { list: turns("list"), search: turns("search") };

  if (address.kind === "sqlite") {
    const threads = { list: createReadThread(address.file), search: createReadThread(address.file) };
    return {
      async run<Row>(query: Compilable<Row>, { lane, owner }: ReadOptions) {
        const compiled = query.compile();
        return turnsOf[lane](owner, () => threads[lane].read<Row>(compiled, timeoutOf(lane)));
      },
      async close() {
        await Promise.all([threads.list.stop(), threads.search.stop()]);
      },
    };
  }
  return {
    async run<Row>(query: Compilable<Row>, { lane, owner }: ReadOptions) {
      const compiled = query.compile();
      return turnsOf[lane](owner, () => readFromPostgres<Row>(db, compiled, timeoutOf(lane)));
    },
    async close() {},
  };
}

function tooSlow(): AppError {
  return new AppError(
    "OVERLOADED",
    "There is too much data to answer this in time. Narrow it down, for example with from and to, or with one visitor.",
    { retryAfter: 10 },
  );
}

async function readFromPostgres<Row>(db: OpenDatabase["db"], query: CompiledQuery<Row>, timeoutMs: number) {
  try {
    // PostgreSQL cancels the statement. The client waits a little longer to receive that error.
    return await withStatementTimeout(timeoutMs + 2_000, () =>
      db.transaction().execute(async (trx) => {
        await sql`set local statement_timeout = ${sql.lit(timeoutMs)}`.execute(trx);
        return (await trx.executeQuery<Row>(query)).rows;
      }),
    );
  } catch (error) {
    const isLate = typeof error === "object" && error !== null && "code" in error && error.code === QUERY_CANCELED;
    throw isLate ? tooSlow() : error;
  }
}

const QUERY_CANCELED = "57014";

/** How long after the deadline a thread that has not stopped its statement is terminated. */
const GRACE_MS = 1_000;
const IDLE_MS = 30_000;

/** A worker thread that starts with the first read and stops after 30 idle seconds to free its memory. */
function createReadThread(file: string) {
  let worker: Worker | null = null;
  let pending: { id: number; settle(result: ReadResult | Error): void } | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(new URL("./read-thread.ts", import.meta.url), { workerData: { file } });
    started.unref();
    started.on("message", (result: ReadResult) => {
      if (pending?.id === result.id) pending.settle(result);
    });
    const fail = (error: Error) => {
      if (worker !== started) return;
      worker = null;
      pending?.settle(error);
    };
    started.on("error", (error) => fail(error as Error));
    started.on("exit", (code) => fail(new Error(`The thread that reads the database ended with ${code}.`)));
    return started;
  }

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const stopping = worker;
    worker = null;
    pending?.settle(new Error("The database is being closed."));
    await stopping?.terminate();
  }

  return {
    stop,
    /** Call it again only after the previous read has finished. */
    async read<Row>({ sql: text, parameters }: CompiledQuery<Row>, timeoutMs: number): Promise<Row[]> {
      clearTimeout(idle);
      worker ??= start();
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<ReadResult | Error>();
      pending = { id, settle: resolve };
      worker.ref();
      worker.postMessage({ id, sql: text, parameters, timeoutMs } satisfies ReadRequest);
      const overdue = setTimeout(() => {
        void worker?.terminate();
        worker = null;
        resolve({ id, isLate: true, message: "" });
      }, timeoutMs + GRACE_MS);
      const result = await promise;
      clearTimeout(overdue);
      pending = null;
      worker?.unref();
      idle = setTimeout(() => void stop(), IDLE_MS).unref();
      if (result instanceof Error) throw result;
      if ("rows" in result) return result.rows as Row[];
      throw result.isLate ? tooSlow() : new Error(result.message);
    },
  };
}
