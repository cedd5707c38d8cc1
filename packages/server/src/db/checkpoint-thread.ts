import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import type { CheckpointResult } from "./checkpoint.ts";

/** Empties the write-ahead log while the server writes to it. */
const { file } = workerData as { file: string };

const ATTEMPTS = 100;
const PAUSE_MS = 50;

const pause = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on("message", ({ id }: { id: number }) => {
  // Without a timeout, the attempt ends immediately when a reader still needs the log. A longer one would hold the lock
  // that the server's writes wait for.
  const database = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    parentPort?.postMessage({ id, isDone: empty(database) } satisfies CheckpointResult);
  } catch (error) {
    parentPort?.postMessage({ id, isDone: false, error: String(error) } satisfies CheckpointResult);
  } finally {
    database.close();
  }
});

/** @returns false when readers needed the log during all attempts */
function empty(database: Database.Database): boolean {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    // Copies nearly everything without a lock, so that truncating the log takes a few milliseconds.
    database.pragma("wal_checkpoint(PASSIVE)");
    const [result] = database.pragma("wal_checkpoint(TRUNCATE)") as Array<{ busy: number }>;
    if (result?.busy === 0) return true;
    Atomics.wait(pause, 0, 0, PAUSE_MS);
  }
  return false;
}
