import { HOUR_MS } from "@foyer/contract/rules/time";
import type { Logger } from "pino";
import { waitingReads } from "../../db/background-reads.ts";
import type { OpenDatabase } from "../../db/open.ts";
import { createTaskThread } from "../../db/sqlite/thread-tasks.ts";
import { AppError } from "../../errors.ts";
import { createFairPool } from "../../pools/fair-pool.ts";
import { ANALYSIS_VERSION, MAX_REANALYZED_CHUNKS } from "./analysis-version.ts";
import type { IndexReply, IndexRequest, IndexTask, IndexThreadData } from "./index-thread.ts";
import type { PassageHit, PassageQuery } from "./search-index.ts";

const SEARCH_TIMEOUT_MS = 10_000;
/**
 * The maximum duration of a maintenance task, in milliseconds. Merging a million chunks takes minutes. A thread that
 * takes longer than this is stuck and is terminated.
 */
const MAINTENANCE_TIMEOUT_MS = HOUR_MS;
const SWEEP_EVERY_MS = HOUR_MS;
/** Delay after the start, which other work should have to itself. */
const FIRST_ANALYSIS_MS = 30_000;
/** Delay after the last change, so that the documents of a sync are merged in few steps. */
const MAINTENANCE_DELAY_MS = 250;

export type PassageSearch = {
  /** @throws AppError 503 when the search takes too long or too many searches are waiting */
  search(query: PassageQuery): Promise<PassageHit[]>;
  /** Call this after a transaction that changed an agent's index or deleted the agent. Returns immediately. */
  maintain(agentId: string): void;
  /** Resolves when all requested maintenance is done. */
  settled(): Promise<void>;
  /** Starts the hourly check for unfinished maintenance and for segments that an earlier version analyzed. */
  startSweeps(): void;
  /** Analyzes the segments of earlier versions again, one at a time, so that other maintenance runs in between. */
  reanalyze(): void;
  close(): Promise<void>;
};

/**
 * The passage index of this process. One thread searches and another merges segments, each on its own connection, so
 * that neither blocks the event loop. Both start with their first task and end after being idle for 30 seconds.
 */
export function createPassageSearch(
  { db, address }: Pick<OpenDatabase, "db" | "address">,
  log: Pick<Logger, "error">,
): PassageSearch {
  const searcher = createIndexThread({ address, mode: "read" }, SEARCH_TIMEOUT_MS);
  const maintainer = createIndexThread({ address, mode: "write" }, MAINTENANCE_TIMEOUT_MS);
  const pool = createFairPool({ ...waitingReads, name: "document_searches", size: 1 });
  const due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sweeps: NodeJS.Timeout | undefined;
  let firstAnalysis: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;

  /** Avoids starting a thread for agents without documents, which most agents are. */
  async function isNeeded(task: IndexTask): Promise<boolean> {
    const indexes = db.selectFrom("agentIndexes").select("agentId").limit(1);
    const matching = task.kind === "maintain" ? indexes.where("agentId", "=", task.agentId) : indexes;
    return (await matching.executeTakeFirst()) !== undefined;
  }

  function sweep() {
    enqueue({ kind: "sweep" });
    reanalyze();
  }

  function enqueue(task: IndexTask) {
    running = running.then(async () => {
      if (isClosed) return;
      try {
        if (await isNeeded(task)) await maintainer.run(task);
      } catch (error) {
        // The index stays correct and only becomes slower to search. The next sweep retries.
        if (!isClosed) log.error({ err: error }, "maintenance of the document index failed");
      }
    });
  }

  async function countOutdated(): Promise<number> {
    const { count } = await db
      .selectFrom("indexSegments")
      .select((eb) => eb.fn.countAll<number | string>().as("count"))
      .where("state", "=", "live")
      .where("analysis", "<", ANALYSIS_VERSION)
      .where("chunks", "<=", MAX_REANALYZED_CHUNKS)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  function reanalyze() {
    running = running.then(async () => {
      try {
        const before = isClosed ? 0 : await countOutdated();
        if (before === 0) return;
        await maintainer.run({ kind: "reanalyze" });
        // If the count is the same, another process is analyzing this agent's passages. The next sweep continues.
        if ((await countOutdated()) < before) reanalyze();
      } catch (error) {
        if (!isClosed) log.error({ err: error }, "passages of an earlier version could not be analyzed again yet");
      }
    });
  }

  function flush() {
    clearTimeout(timer);
    timer = undefined;
    for (const agentId of due) enqueue({ kind: "maintain", agentId });
    due.clear();
  }

  return {
    search(query) {
      return pool.run({ owner: query.organizationId }, () => searcher.run({ kind: "search", query }));
    },
    maintain(agentId) {
      due.add(agentId);
      timer ??= setTimeout(flush, MAINTENANCE_DELAY_MS).unref();
    },
    async settled() {
      flush();
      for (let last: typeof running | null = null; last !== running; ) {
        last = running;
        await last;
      }
    },
    startSweeps() {
      sweeps = setInterval(sweep, SWEEP_EVERY_MS).unref();
      firstAnalysis = setTimeout(reanalyze, FIRST_ANALYSIS_MS).unref();
    },
    reanalyze,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(sweeps);
      clearTimeout(firstAnalysis);
      await Promise.all([searcher.stop(), maintainer.stop()]);
      await running;
    },
  };
}

function createIndexThread(workerData: IndexThreadData, timeoutMs: number) {
  const module = new URL("./index-thread.ts", import.meta.url);
  const thread = createTaskThread<Omit<IndexRequest, "id">, IndexReply>({ module, workerData, name: "document index" });
  return {
    stop: thread.stop,
    /** One at a time. */
    async run(task: IndexTask): Promise<PassageHit[]> {
      const reply = await thread.run({ task }, timeoutMs);
      if (reply === null) {
        throw new AppError("OVERLOADED", "Searching the documents took too long. Try again.", { retryAfter: 10 });
      }
      if ("error" in reply) throw Object.assign(new Error(reply.error), { code: reply.code });
      return reply.hits;
    },
  };
}
