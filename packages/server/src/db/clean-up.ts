import { setTimeout as wait } from "node:timers/promises";
import { HOUR_MS } from "@foyer/contract/rules/time";
import type { Transaction } from "kysely";
import type { Logger } from "pino";
import type { Db } from "./open.ts";
import { takeWithinBytes } from "./page-bytes.ts";
import type { Tables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

const EVERY_MS = HOUR_MS;
const BATCH = 500;
/** The size of the first batch of rows of unknown size. Batches grow and shrink with the time that they take. */
const FIRST_BATCH_BYTES = 128 * 1024;
const FIRST_BATCH_ROWS = 16;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** The minimum size of a batch. On a slow disk, every commit takes long, even if it writes little. */
const MIN_BATCH = { bytes: 128 * 1024, rows: 32 };
/** The size of the first batch of rows that are small, but to which other tables may refer. */
const FIRST_SMALL_ROWS = 64;
/**
 * The intended duration of a batch. Requests have to wait this long, because SQLite runs in this process and PostgreSQL
 * locks the rows.
 */
const BATCH_MS = { min: 5, max: 15 };

/** Runs each deletion now and every hour. A failed one is retried an hour later. @returns a function that stops it */
export function startCleanUp(log: Logger, work: Record<string, () => Promise<number>>): () => void {
  const run = async () => {
    for (const [what, clean] of Object.entries(work)) {
      await clean().catch((error: unknown) =>
        log.error({ err: error }, `could not delete ${what}; retrying in an hour`),
      );
    }
  };
  void run();
  const timer = setInterval(run, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Deletes in small transactions. Pauses after each one for as long as it took, so that requests do not have to wait:
 * SQLite runs in this process, and deleting a million old rows takes minutes. Batches grow and shrink with the time
 * that they take.
 * @param deleteSome deletes at most `limit` rows and returns the number of deleted rows
 * @param max the maximum number of rows that one transaction deletes
 * @returns the total number of deleted rows
 */
export async function deleteInBatches(
  db: Db,
  deleteSome: (trx: Transaction<Tables>, limit: number) => Promise<number>,
  max = BATCH,
): Promise<number> {
  let limit = Math.min(FIRST_SMALL_ROWS, max);
  for (let total = 0; ; ) {
    const startedAt = performance.now();
    const deleted = await inTransaction(db, (trx) => deleteSome(trx, limit));
    total += deleted;
    if (deleted < limit) return total;
    const tookMs = performance.now() - startedAt;
    if (tookMs > BATCH_MS.max) limit = Math.max(Math.min(MIN_BATCH.rows, max), Math.floor(limit / 2));
    else if (tookMs < BATCH_MS.min) limit = Math.min(2 * limit, max);
    await wait(tookMs);
  }
}

export type SizedRow = { id: string; bytes: number };

type SizedWork<Row extends SizedRow> = {
  /** returns the next rows to delete, at most `limit` of them, with their sizes */
  next(trx: Transaction<Tables>, limit: number): Promise<Row[]>;
  remove(trx: Transaction<Tables>, rows: readonly Row[]): Promise<void>;
  /** deletes most of the data of a row that is too large for one transaction */
  shrink?(row: Row): Promise<unknown>;
};

/**
 * Like `deleteInBatches`, for rows that can be large. The batch size is also limited in bytes, and is halved, kept or
 * doubled depending on how long the previous batch took.
 * @returns the total number of deleted rows
 */
export async function deleteBySize<Row extends SizedRow>(db: Db, work: SizedWork<Row>): Promise<number> {
  let maxBytes = FIRST_BATCH_BYTES;
  // Measure only a few rows at first. Measuring a conversation looks up its events with their deliveries and attempts,
  // which is wasted work for rows that do not fit into the batch.
  let limit = FIRST_BATCH_ROWS;
  for (let total = 0; ; ) {
    const startedAt = performance.now();
    const { deleted, large } = await inTransaction(db, async (trx) => {
      const rows = takeWithinBytes(await work.next(trx, limit), maxBytes);
      const [first] = rows;
      if (first && work.shrink && Number(first.bytes) > MAX_BATCH_BYTES) return { deleted: 0, large: first };
      if (first) await work.remove(trx, rows);
      return { deleted: rows.length, large: null };
    });
    if (large) {
      await work.shrink?.(large);
      await inTransaction(db, (trx) => work.remove(trx, [large]));
    }
    total += large ? 1 : deleted;
    if (deleted === 0 && !large) return total;
    const tookMs = performance.now() - startedAt;
    limit = nextLimit(deleted, tookMs);
    if (tookMs > BATCH_MS.max) maxBytes = Math.max(MIN_BATCH.bytes, maxBytes / 2);
    else if (tookMs < BATCH_MS.min) maxBytes = Math.min(maxBytes * 2, MAX_BATCH_BYTES);
    await wait(tookMs);
  }
}

/** Even small rows can take long, because each deletion reads every table that refers to it. */
function nextLimit(deleted: number, tookMs: number): number {
  const twice = 2 * Math.max(1, deleted);
  if (tookMs < BATCH_MS.min) return Math.min(BATCH, twice);
  const same = tookMs > BATCH_MS.max ? Math.ceil(deleted / 2) : deleted;
  return Math.min(BATCH, Math.max(same, Math.min(twice, MIN_BATCH.rows)));
}
