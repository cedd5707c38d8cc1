import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import type { ReadRequest, ReadResult } from "./background-reads.ts";

/** One statement at a time, on a connection that cannot write. It stops by itself at its deadline. */
const { file } = workerData as { file: string };
const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
database.pragma("cache_size = -8000");

class PastDeadline extends Error {}

/** Milliseconds since 1970. */
let deadline = Number.POSITIVE_INFINITY;

function checkDeadline(): void {
  if (Date.now() > deadline) throw new PastDeadline();
}

// SQLite cannot be interrupted from outside, but a function that throws ends its statement. The search runs one for every
// text it looks at. `includes` takes time linear in the text for a needle of bounded length; LIKE backtracks.
database.function("contains_text", { deterministic: true }, (text, needle) => {
  checkDeadline();
  return typeof text === "string" && text.toLowerCase().includes(String(needle)) ? 1 : 0;
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
    parentPort?.postMessage({ id, isLate, message: String(error) } satisfies ReadResult);
  }
});
