import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { isStopFlagSet, type StopFlag } from "./stop-flag.ts";

export type ReadRequest = { id: number; sql: string; parameters: readonly unknown[]; timeoutMs: number };
export type ReadResult = { id: number } & (
  | { rows: unknown[] }
  | { isLate: boolean; message: string; code: string | undefined }
);

/** Runs one statement at a time on a read-only connection and stops it at its deadline or with the thread. */
const { file, stopFlag } = workerData as { file: string; stopFlag: StopFlag };
const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
database.pragma("cache_size = -8000");

class PastDeadline extends Error {}

/** Milliseconds since 1970. */
let deadline = Number.POSITIVE_INFINITY;

function checkDeadline(): void {
  if (Date.now() > deadline || isStopFlagSet(stopFlag)) throw new PastDeadline();
}

// better-sqlite3 cannot interrupt a statement, but a function that throws an error ends it. A search calls this
// function for every text. `includes` takes linear time for a search text of bounded length, while LIKE backtracks.
database.function("contains_text", { deterministic: true }, (text, needle) => {
  checkDeadline();
  return typeof text === "string" && text.toLowerCase().includes(String(needle)) ? 1 : 0;
});

/** Up to 200 characters around the first occurrence, as PostgreSQL's `substr` gives them. */
database.function("text_around", { deterministic: true }, (text, needle) => {
  if (typeof text !== "string") return null;
  const start = Math.max(0, text.toLowerCase().indexOf(String(needle)) - 61);
  return text.slice(start, start + 200);
});

parentPort?.on("message", ({ id, sql, parameters, timeoutMs }: ReadRequest) => {
  deadline = Date.now() + timeoutMs;
  try {
    const rows: unknown[] = [];
    for (const row of database.prepare(sql).iterate(...parameters)) {
      checkDeadline();
      rows.push(row);
    }
    parentPort?.postMessage({ id, rows } satisfies ReadResult);
  } catch (error) {
    const isLate = error instanceof PastDeadline;
    const code = error instanceof Database.SqliteError ? error.code : undefined;
    parentPort?.postMessage({ id, isLate, message: String(error), code } satisfies ReadResult);
  }
});
