import type { Deps } from "../deps.ts";
import { afterStartingReplies } from "../starting-replies.ts";

/**
 * Concurrent writes of ingestion on PostgreSQL. Four uploads and six pages at once took all ten connections, so the
 * queries of a reply waited for one of them, and for the processor time of ten sessions of the database.
 */
const MAX_CONCURRENT = 2;

/** Runs a write of ingestion while no reply is starting, see `afterStartingReplies`. `work` must not run another one. */
export type RunWrite = <T>(work: () => Promise<T>) => Promise<T>;

/** On SQLite, one connection already orders the writes, and those that wait for the disk together share a sync. */
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
      await afterStartingReplies(performance.now() - startedAt);
      return await work();
    } finally {
      release();
    }
  };
}
