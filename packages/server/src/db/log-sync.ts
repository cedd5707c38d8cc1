import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

const syncData = promisify(fdatasync);

/**
 * Writes SQLite's write-ahead log from the system's cache to the disk, in a thread of the pool. After a failure the system
 * may have dropped what it could not write, and a later success would not include it. Every call then fails until the
 * server restarts, when SQLite checks the log.
 */
export type LogSync = {
  /** Resolves when what was committed before this call is on the disk. Callers of the same time share a write. */
  sync(): Promise<void>;
  /** Like `sync`, for a caller that has written nothing itself. Null when there is nothing to wait for. */
  pending(): Promise<void> | null;
  close(): Promise<void>;
};

/**
 * @param file the database file, whose log has the same name and `-wal`
 * @param write how a file descriptor is written to the disk; a test replaces it
 */
export function createLogSync(file: string, write: (descriptor: number) => Promise<void> = syncData): LogSync {
  let descriptor: number | null = null;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let failed: Promise<never> | null = null;

  async function start(): Promise<void> {
    next = null;
    try {
      // The log exists only after the first write. It is never replaced while a connection is open.
      descriptor ??= openSync(`${file}-wal`, "r+");
      running = write(descriptor);
      await running;
    } catch (error) {
      failed = Promise.reject(error);
      failed.catch(() => {});
      throw error;
    } finally {
      running = null;
    }
  }

  return {
    sync() {
      if (failed) return failed;
      if (running === null) return start();
      // The one that is running may have begun before the caller's commit.
      next ??= running.then(start);
      return next;
    },
    pending: () => failed ?? next ?? running,
    async close() {
      await Promise.allSettled([running, next]);
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}
