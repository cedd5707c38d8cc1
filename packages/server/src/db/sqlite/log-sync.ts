import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import Database from "better-sqlite3";

const syncData = promisify(fdatasync);

/**
 * Writes SQLite's write-ahead log from the system's cache to the disk, on libuv's thread pool. After a failure the
 * system may have dropped the data that it could not write, and a later success would not include it. Every call then
 * fails until `repaired`.
 */
export type LogSync = {
  /** Resolves when everything that was committed before this call is on the disk. Concurrent callers share a write. */
  sync(): Promise<void>;
  /** Like `sync`, for a caller that has not written anything itself. Returns null when there is nothing to wait for. */
  pending(): Promise<void> | null;
  /** Why the log could not be written, or null. */
  failure(): Error | null;
  /** Call this when the log is empty and its contents are on the disk. */
  repaired(): void;
  close(): Promise<void>;
};

/**
 * @param file the database file, whose log has the same name and `-wal`
 * @param write syncs a file descriptor to the disk; tests replace it
 */
export function createLogSync(file: string, write: (descriptor: number) => Promise<void> = syncData): LogSync {
  let descriptor: number | null = null;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let failure: Error | null = null;

  async function run(): Promise<void> {
    if (failure) throw failure;
    try {
      // The log exists only after the first write. It is never replaced while a connection is open.
      descriptor ??= openSync(`${file}-wal`, "r+");
      await write(descriptor);
    } catch (error) {
      failure = writeError(error);
      throw failure;
    } finally {
      running = null;
    }
  }

  function start(): Promise<void> {
    next = null;
    running = run();
    return running;
  }

  return {
    sync() {
      if (failure) return Promise.reject(failure);
      if (running === null && next === null) return start();
      // The write in progress may have begun before the caller's commit.
      next ??= running?.then(start, start) ?? start();
      return next;
    },
    pending: () => (failure ? Promise.reject(failure) : (next ?? running)),
    failure: () => failure,
    repaired() {
      failure = null;
      running = null;
    },
    async close() {
      while (failure === null && (running ?? next)) await Promise.allSettled([running, next]);
      // SQLite holds its locks on the database file and on `-shm`, so closing the log releases none of them.
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

/** The error that SQLite itself reports for a failed `fsync`, so that callers treat the database as unavailable. */
function writeError(cause: unknown): Error {
  const message = `The database's write-ahead log could not be written to the disk: ${cause instanceof Error ? cause.message : cause}`;
  return Object.assign(new Database.SqliteError(message, "SQLITE_IOERR_FSYNC"), { cause });
}
