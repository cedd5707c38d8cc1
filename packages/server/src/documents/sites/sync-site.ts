import type { Db } from "../../db/open.ts";
import { failpoint } from "../../failpoints.ts";
import type { RunJob } from "../../jobs/worker.ts";
import type { Extractor } from "../extract/extractor.ts";
import { deleteSourcePages } from "../retention.ts";
import { openSite, readSitemaps, SiteError } from "./discover.ts";
import { EXCLUDED_BY_ROBOTS } from "./page-problems.ts";
import {
  NO_TEXT,
  obstacleReasons,
  type RunningSync,
  readPage,
  type SyncParts,
  scriptAdvice,
  tooManyPagesProblem,
} from "./read-page.ts";
import { requireConclusive } from "./require-conclusive.ts";
import type { SiteClients } from "./site-client.ts";
import type { SyncJob, SyncProblem } from "./sync-queue.ts";
import { createTrapDetector } from "./trap-detector.ts";

/** After this many pages in a row that cannot be fetched, the site is considered down. */
const MAX_LOST_IN_A_ROW = 10;
/** A sync that was claimed this often without progress has crashed its process several times. */
const MAX_ATTEMPTS = 5;
/** Documents of a deleted source that are deleted per step. */
const DELETION_BATCH = 20;

type Parts = SyncParts & { db: Db };
/** The parts of all syncs. Each sync fetches pages and reads files as its organization. */
type SharedParts = Omit<Parts, "client" | "extractor"> & { clients: SiteClients; extractor: Extractor };

/**
 * Runs a sync, or continues an interrupted one: finds the site's pages, reads them one by one, and removes pages that
 * no longer exist. Every step is recorded under the lease, so a process that lost it writes nothing.
 */
export function createSiteSync({ clients, extractor, ...shared }: SharedParts): RunJob<SyncJob> {
  return async (job, signal) => {
    const { organizationId } = job;
    const parts: Parts = {
      ...shared,
      client: clients.forOrganization(organizationId),
      extractor: extractor.siteReader({ organizationId, signal }),
    };
    if (job.state === "deleting") return deleteSource(parts, job, signal);
    try {
      if (job.attempts > MAX_ATTEMPTS) throw internalError();
      if (job.phase !== "removing") {
        const sync = await begin(parts, job, signal);
        if (job.phase === "discovering") await discoverPages(sync);
        await readPages(sync);
        await requireSuccess(sync);
        await requireConclusive(sync);
        await countMisses(parts, job);
      }
      await removeMissing(parts, job, signal);
      await end(parts, job, null);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof SiteError)) throw error;
      await end(parts, job, error.problem);
    }
  };
}

async function begin(parts: Parts, job: SyncJob, signal: AbortSignal): Promise<RunningSync> {
  const settings = { url: job.url, include: JSON.parse(job.include), exclude: JSON.parse(job.exclude) };
  const organization = parts.db.selectFrom("organizations").select("plan").where("id", "=", job.organizationId);
  const { plan } = await organization.executeTakeFirstOrThrow();
  const site = await openSite(parts, settings, signal);
  return {
    parts,
    job,
    site,
    plan,
    signal,
    followsLinks: job.urls === null,
    limitReached: null,
    traps: createTrapDetector(),
  };
}

/** Stores the initial pages: the chosen ones, or the start page and those in the sitemaps. */
async function discoverPages(sync: RunningSync): Promise<void> {
  const { parts, job, site, signal } = sync;
  const { queue, pages } = parts;
  const chosen: string[] | null = job.urls === null ? null : JSON.parse(job.urls);
  await removeExcluded(sync, chosen);
  const found = chosen
    ? { ...(await judge(sync, chosen)), problem: null }
    : await readSitemaps(parts, site, { maxUrls: job.maxPages, signal });
  if (found.problem) await queue.note(job, found.problem);
  const hasAll = await queue.held(job, async (trx) => {
    if (!chosen) await pages.add(trx, job, { urls: [site.startUrl], depth: 0 });
    const hasAdded = await pages.add(trx, job, { urls: found.allowed, depth: 1 });
    await pages.add(trx, job, { urls: found.disallowed, depth: 1, excludedBy: EXCLUDED_BY_ROBOTS });
    await queue.hold(trx, job, { phase: "reading" });
    return hasAdded;
  });
  if (!hasAll || (found.isTruncated && !chosen)) await queue.note(job, tooManyPagesProblem(job));
  failpoint("site.discovered");
}

function judge({ parts, site }: RunningSync, urls: string[]) {
  return parts.extractor.readForSite({ kind: "addresses", scope: site.scope, urls });
}

/** Immediately removes pages that the owner no longer wants: those that the patterns exclude or that are not chosen. */
async function removeExcluded(sync: RunningSync, chosen: readonly string[] | null): Promise<void> {
  const { parts, job, site } = sync;
  const wanted = chosen && new Set(chosen);
  const scope = { ...site.scope, robots: null };
  for (let from = ""; ; ) {
    const urls = await parts.pages.addresses(job, from);
    const last = urls.at(-1);
    if (last === undefined) return;
    from = last;
    const { allowed } = await parts.extractor.readForSite({ kind: "addresses", scope, urls });
    const retained = new Set(wanted ? allowed.filter((url) => wanted.has(url)) : allowed);
    const excluded = urls.filter((url) => !retained.has(url));
    for (let start = 0; start < excluded.length; start += DELETION_BATCH) {
      await removePages(parts, job, excluded.slice(start, start + DELETION_BATCH));
    }
  }
}

async function readPages(sync: RunningSync): Promise<void> {
  const { parts, job, signal } = sync;
  let lostInARow = 0;
  for (;;) {
    signal.throwIfAborted();
    const page = await parts.pages.nextPending(job);
    if (!page) return;
    const isLost = await readPage(sync, page);
    if (isLost) await parts.queue.markIncomplete(job);
    lostInARow = isLost ? lostInARow + 1 : 0;
    if (lostInARow === MAX_LOST_IN_A_ROW) {
      const reason = (await parts.pages.get(job, page.url))?.reason ?? "";
      throw new SiteError(
        "NOT_REACHABLE",
        `${MAX_LOST_IN_A_ROW} pages in a row could not be fetched, the last one ${page.url}: ${reason} Nothing was removed. Check the site, then sync again.`,
      );
    }
  }
}

/** Fails the sync if no page could be used, because such a site is broken rather than empty. @throws SiteError */
async function requireSuccess({ parts, job }: RunningSync): Promise<void> {
  if ((await parts.pages.count(job, ["read"])) > 0) return;
  const start = await parts.pages.get(job, job.url);
  const reason = start?.sync === job.sync ? start.reason : null;
  if (start?.state === "failed" || start?.state === "missing") {
    throw new SiteError("NOT_REACHABLE", `${job.url} could not be read: ${reason} Nothing was removed.`);
  }
  const why = reason ? ` About ${job.url}: ${reason}` : " Check the address and the patterns.";
  const needsScript = reason === obstacleReasons.script || reason === NO_TEXT;
  throw new SiteError(
    "NO_PAGES",
    `No page could be used. Nothing was removed.${why}${needsScript ? ` ${scriptAdvice}` : ""}`,
  );
}

/**
 * Counts a miss for each page that this sync could not use, exactly once: the phase changes in the same transaction.
 */
async function countMisses({ queue, pages }: SyncParts, job: SyncJob): Promise<void> {
  await queue.held(job, async (trx) => {
    const { isComplete } = await trx
      .selectFrom("sources")
      .select("isComplete")
      .where("id", "=", job.id)
      .executeTakeFirstOrThrow();
    await pages.countMisses(trx, job, { includeNotFound: isComplete === 1 });
    await queue.hold(trx, job, { phase: "removing" });
  });
  failpoint("site.counted");
}

async function removeMissing(parts: SyncParts, job: SyncJob, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const pages = await parts.pages.removable(job);
    if (pages.length === 0) return;
    const stillListed = pages.filter(({ sync, state }) => sync === job.sync && state === "skipped");
    const missing = pages.filter((page) => !stillListed.includes(page));
    await removeDocuments(parts, job, stillListed);
    await removePages(
      parts,
      job,
      missing.map(({ url }) => url),
    );
    failpoint("site.removed");
  }
}

/** Deletes pages and their documents. */
async function removePages(parts: SyncParts, job: SyncJob, urls: readonly string[]): Promise<void> {
  const rows = await parts.pages.getAll(job, urls);
  await removeDocuments(parts, job, rows);
  await parts.queue.held(job, (trx) => parts.pages.delete(trx, job, urls));
}

async function removeDocuments(
  { queue, writer }: SyncParts,
  job: SyncJob,
  pages: readonly { documentId: string | null }[],
): Promise<void> {
  const documents = pages.flatMap(({ documentId }) =>
    documentId === null ? [] : [{ id: documentId, agentId: job.agentId }],
  );
  if (documents.length === 0) return;
  await queue.extend(job);
  await writer.delete(job.organizationId, documents);
}

async function end({ queue, pages }: SyncParts, job: SyncJob, problem: SyncProblem | null): Promise<void> {
  await queue.inTransaction(async (trx) => {
    await queue.finish(trx, job, problem);
    await pages.settlePending(trx, job);
  });
}

/** Deletes the documents of a deleted source in steps, and then the source. */
async function deleteSource(parts: Parts, job: SyncJob, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const rows = await parts.documents.ofSource(job.organizationId, job.id, { limit: DELETION_BATCH });
    if (rows.length === 0) break;
    await parts.queue.extend(job);
    await parts.writer.delete(job.organizationId, rows);
  }
  // The lease is also renewed by the worker's timer. Deleting the source would delete all its pages at once.
  await deleteSourcePages(parts.db, { sourceId: job.id });
  await parts.db.deleteFrom("sources").where("id", "=", job.id).where("fence", "=", job.fence).execute();
}

function internalError(): SiteError {
  return new SiteError(
    "INTERNAL",
    "The server was interrupted several times while reading the site. Sync again. If that does not help, exclude the pages that were read last.",
  );
}
