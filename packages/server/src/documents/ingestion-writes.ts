import type { Deps } from "../deps.ts";
import { waitForStartingReplies } from "../starting-replies.ts";

/**
 * The maximum number of concurrent ingestion writes on PostgreSQL. Without it, four uploads and six pages used all ten
 * connections, so the queries of a reply waited for one of them, and for the processor time of ten database sessions.
 */
const MAX_CONCURRENT = 2;

/** Runs an ingestion write while no reply is starting, see `waitForStartingReplies`. `work` must not run another one. */
export type RunWrite = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * On SQLite, a single connection already serializes the writes, and writes that wait for the disk at the same time
 * share a sync.
 */
export function createIngestionWrites({ databaseKind }: Pick<Deps, "databaseKind">): RunWrite {
  let free = databaseKind === "sqlite" ? Number.POSITIVE_INFINITY : MAX_CONCURRENT;
  const waiting: Array<() => void> = [];

  function release(): void {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }

  return async (work) => {
    const startedAt = performance.now();
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await waitForStartingReplies(performance.now() - startedAt);
      return await work();
    } finally {
      release();
    }
  };
}
