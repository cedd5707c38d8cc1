import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import type { CheckpointResult } from "./checkpoint.ts";
import { emptyWal } from "./file.ts";

/** Empties the write-ahead log while the server writes to it. */
const { file } = workerData as { file: string };

const ATTEMPTS = 100;
const PAUSE_MS = 50;

const pause = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on("message", ({ id }: { id: number }) => {
  const database = new Database(file, { fileMustExist: true });
  try {
    parentPort?.postMessage({ id, isDone: emptyWalWithRetries(database) } satisfies CheckpointResult);
  } catch (error) {
    parentPort?.postMessage({ id, isDone: false, error: String(error) } satisfies CheckpointResult);
  } finally {
    database.close();
  }
});

/** @returns false when readers needed the log during all attempts */
function emptyWalWithRetries(database: Database.Database): boolean {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (emptyWal(database)) return true;
    Atomics.wait(pause, 0, 0, PAUSE_MS);
  }
  return false;
}
