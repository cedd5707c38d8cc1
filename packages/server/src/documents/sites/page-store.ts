import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import type { SourcePageRow } from "../../db/tables/documents.ts";
import type { Deps } from "../../deps.ts";
import type { Trx } from "../store.ts";
import { EXCLUDED_BY_ROBOTS } from "./page-problems.ts";
import type { SyncJob } from "./sync-queue.ts";
import { TRAP_REASON } from "./trap-detector.ts";

/** The number of rows per statement, so that no statement blocks SQLite and thereby the event loop. */
const ROWS_AT_ONCE = 200;
/** The number of pages that are removed per step, together with their documents. */
const REMOVAL_BATCH = 20;
const MISSES_UNTIL_REMOVAL = 2;

type NewPages = {
  urls: readonly string[];
  depth: number;
  /** why the pages are listed without being read */
  excludedBy?: string;
};

export type PageStore = ReturnType<typeof createPageStore>;

/** The pages of a sync. Writers require a transaction that holds the lease of the sync. */
export function createPageStore({ db }: Pick<Deps, "db">) {
  const selectPages = ({ id }: Pick<SyncJob, "id">) => db.selectFrom("sourcePages").where("sourceId", "=", id);

  return {
    ...pageWriters(),
    /** The next page to read. Pages closest to the start page come first. */
    async nextPending(job: SyncJob): Promise<SourcePageRow | undefined> {
      return selectPages(job)
        .selectAll()
        .where("state", "=", "pending")
        .where("sync", "=", job.sync)
        .orderBy("depth")
        .orderBy("url")
        .limit(1)
        .executeTakeFirst();
    },
    async get(job: SyncJob, url: string): Promise<SourcePageRow | undefined> {
      return selectPages(job).selectAll().where("url", "=", url).executeTakeFirst();
    },
    /** Known URLs after `from`, in order. */
    async addresses(job: SyncJob, from: string): Promise<string[]> {
      const rows = await selectPages(job)
        .select("url")
        .where("url", ">", from)
        .orderBy("url")
        .limit(ROWS_AT_ONCE)
        .execute();
      return rows.map(({ url }) => url);
    },
    /** The URL at which this sync has already read the same content. */
    async twin(job: SyncJob, url: string, contentHash: string): Promise<string | undefined> {
      const row = await selectPages(job)
        .select("url")
        .where("contentHash", "=", contentHash)
        .where("state", "=", "read")
        .where("sync", "=", job.sync)
        .where("url", "<>", url)
        .limit(1)
        .executeTakeFirst();
      return row?.url;
    },
    /** How many pages of the current sync have one of these states. */
    async count(job: SyncJob, states: readonly SourcePageRow["state"][]): Promise<number> {
      const counted = selectPages(job).where("sync", "=", job.sync).where("state", "in", states);
      return Number((await counted.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).n);
    },
    /** How many pages have a document. */
    async countDocuments(job: SyncJob): Promise<number> {
      const counted = selectPages(job).where("documentId", "is not", null);
      return Number((await counted.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).n);
    },
    /** The reason for which this sync skips most pages that have a document, besides those in `except`. */
    async mostFrequentLoss(job: SyncJob, except: readonly string[]): Promise<{ reason: string | null; n: number }> {
      const row = await selectPages(job)
        .select(["reason", (x) => x.fn.countAll<number>().as("n")])
        .where("documentId", "is not", null)
        .where("sync", "=", job.sync)
        .where("state", "=", "skipped")
        .where("reason", "not in", except)
        .groupBy("reason")
        .orderBy("n", "desc")
        .limit(1)
        .executeTakeFirst();
      return { reason: row?.reason ?? null, n: Number(row?.n ?? 0) };
    },
    /** Pages with a document that this sync did not find: how many there are, and some of them. */
    async notFound(job: SyncJob, limit: number): Promise<{ n: number; some: SourcePageRow[] }> {
      const lost = selectPages(job).where("documentId", "is not", null).where("sync", "<", job.sync);
      const { n } = await lost.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow();
      return { n: Number(n), some: await lost.selectAll().orderBy("url").limit(limit).execute() };
    },
    /** Returns pages that were unusable in several complete syncs. */
    async removable(job: SyncJob): Promise<SourcePageRow[]> {
      return selectPages(job)
        .selectAll()
        .where("misses", ">=", MISSES_UNTIL_REMOVAL)
        .where(({ or, eb }) =>
          or([eb("documentId", "is not", null), eb("sync", "<", job.sync), eb("state", "=", "missing")]),
        )
        .limit(REMOVAL_BATCH)
        .execute();
    },
    /** The pages with these URLs. */
    async getAll(job: SyncJob, urls: readonly string[]): Promise<SourcePageRow[]> {
      if (urls.length === 0) return [];
      return selectPages(job).selectAll().where("url", "in", urls).execute();
    },
  };
}

function pageWriters() {
  return {
    /**
     * Adds the pages that this sync does not have yet, up to the source's maximum. Pages of earlier syncs are read
     * again. Excluded pages have a maximum of their own: a shop can link thousands of addresses that robots.txt
     * excludes.
     * @returns false when there were more than the maximum
     */
    async add(trx: Trx, job: SyncJob, { urls, depth, excludedBy }: NewPages): Promise<boolean> {
      const ofSync = trx.selectFrom("sourcePages").where("sourceId", "=", job.id).where("sync", "=", job.sync);
      const count = ofSync
        .where(({ eb, or }) =>
          excludedBy === undefined
            ? or([eb("reason", "is", null), eb("reason", "not in", [EXCLUDED_BY_ROBOTS, TRAP_REASON])])
            : eb("reason", "=", excludedBy),
        )
        .select((x) => x.fn.countAll<number>().as("n"));
      let free: number | null = null;
      for (let start = 0; start < urls.length; start += ROWS_AT_ONCE) {
        if (start > 0) await nextTurn();
        const found = urls.slice(start, start + ROWS_AT_ONCE);
        const known = await ofSync.select("url").where("url", "in", found).execute();
        const knownUrls = new Set(known.map(({ url }) => url));
        const added = found.filter((url) => !knownUrls.has(url));
        // Most pages link only to known ones. Counting thousands of pages for each of them would add up to seconds.
        if (added.length === 0) continue;
        free ??= job.maxPages - Number((await count.executeTakeFirstOrThrow()).n);
        await upsert(trx, job, {
          urls: added.slice(0, Math.max(0, free)),
          depth,
          ...(excludedBy === undefined ? {} : { excludedBy }),
        });
        free -= added.length;
        if (free < 0) return false;
      }
      return true;
    },
    async update(
      trx: Trx,
      job: SyncJob,
      { url, changes }: { url: string; changes: Partial<SourcePageRow> },
    ): Promise<void> {
      await trx.updateTable("sourcePages").set(changes).where("sourceId", "=", job.id).where("url", "=", url).execute();
    },
    /**
     * Counts a miss for each page that a complete sync could not use, except failed ones, which may succeed next time.
     */
    async countMisses(trx: Trx, job: SyncJob, options: { includeNotFound: boolean }): Promise<void> {
      await trx
        .updateTable("sourcePages")
        .set({ misses: sql`misses + 1` })
        .where("sourceId", "=", job.id)
        .where(({ or, and, eb }) => {
          const isUnusable = and([eb("sync", "=", job.sync), eb("state", "in", ["missing", "skipped"])]);
          return options.includeNotFound ? or([isUnusable, eb("sync", "<", job.sync)]) : isUnusable;
        })
        .execute();
    },
    async delete(trx: Trx, job: SyncJob, urls: readonly string[]): Promise<void> {
      if (urls.length === 0) return;
      await trx.deleteFrom("sourcePages").where("sourceId", "=", job.id).where("url", "in", urls).execute();
    },
    /** Clears the pending pages. Those with a document keep it; the next sync finds the others again. */
    async settlePending(trx: Trx, { id }: Pick<SyncJob, "id">): Promise<void> {
      const pending = { sourceId: id, state: "pending" } as const;
      await trx
        .deleteFrom("sourcePages")
        .where("sourceId", "=", pending.sourceId)
        .where("state", "=", pending.state)
        .where("documentId", "is", null)
        .execute();
      await trx
        .updateTable("sourcePages")
        .set({ state: "read" })
        .where("sourceId", "=", pending.sourceId)
        .where("state", "=", pending.state)
        .execute();
    },
  };
}

async function upsert(trx: Trx, job: SyncJob, { urls, depth, excludedBy }: NewPages): Promise<void> {
  if (urls.length === 0) return;
  const state = excludedBy === undefined ? ("pending" as const) : ("skipped" as const);
  const reason = excludedBy ?? null;
  const rows = urls.map((url) => ({
    sourceId: job.id,
    url,
    documentId: null,
    state,
    reason,
    etag: null,
    lastModified: null,
    contentHash: null,
    depth,
    sync: job.sync,
    misses: 0,
  }));
  await trx
    .insertInto("sourcePages")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["sourceId", "url"]).doUpdateSet({
        state,
        reason,
        depth,
        sync: job.sync,
      }),
    )
    .execute();
}
