import { createHash, randomUUID } from "node:crypto";
import { type DocumentErrorCode, maxSourcePages } from "@foyer/contract";
import type { DocumentRow, SourcePageRow } from "../../db/tables/documents.ts";
import { AppError } from "../../errors.ts";
import { failpoint } from "../../failpoints.ts";
import type { GetResult } from "../../outbound/get-following.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { pageContent } from "../document-columns.ts";
import type { DocumentWriter } from "../document-writer.ts";
import { declaredType } from "../extract/declared-type.ts";
import { ExtractionError } from "../extract/extraction-error.ts";
import { MAX_PAGE_BYTES } from "../extract/page-limits.ts";
import type { LinksResult, PageObstacle } from "../extract/site-protocol.ts";
import type { FileStore } from "../file-store.ts";
import type { DocumentStore, Trx } from "../store.ts";
import type { DiscoveryParts, OpenSite } from "./discover.ts";
import { fetchPage, shortenUrl } from "./fetch-site-page.ts";
import { EXCLUDED_BY_ROBOTS, isNoindexHeader, readProblem } from "./page-problems.ts";
import type { PageStore } from "./page-store.ts";
import type { SyncJob, SyncProblem, SyncQueue } from "./sync-queue.ts";
import { type createTrapDetector, TRAP_REASON } from "./trap-detector.ts";

export type SyncParts = DiscoveryParts & {
  queue: SyncQueue;
  pages: PageStore;
  documents: DocumentStore;
  files: FileStore;
  writer: DocumentWriter;
};

/** A sync that runs in this process. */
export type RunningSync = {
  parts: SyncParts;
  job: SyncJob;
  site: OpenSite;
  /** the organization's plan when the sync started */
  plan: string;
  signal: AbortSignal;
  /** false when the owner chose the pages to read */
  followsLinks: boolean;
  /** set when the plan allows no more documents; new pages are skipped from then on */
  limitReached: string | null;
  traps: ReturnType<typeof createTrapDetector>;
  /** the page that the site sends with HTTP 200 for an address that does not exist; undefined until it is needed */
  errorPage?: Pick<LinksResult, "title"> | null;
};

/** The links of a page. `trapped` ones lead to pages without end and are only listed. */
type PageLinks = Pick<LinksResult, "allowed" | "disallowed" | "isTruncated"> & { trapped: string[] };

/** The outcome of reading a page. */
type Outcome = {
  page: Partial<SourcePageRow>;
  links: PageLinks | null;
  /** the address that replaces the start page, and is therefore the start page itself */
  startsAt?: string;
  /** the site did not respond properly and may be down */
  isLost?: boolean;
  /** set when the page was written in its document's transaction; `hasAllLinks` is the result of `record` */
  recordedWithDocument?: { hasAllLinks: boolean };
};

/** Reads one page and records it with its document and its links. @returns whether the site failed to respond */
export async function readPage(sync: RunningSync, page: SourcePageRow): Promise<boolean> {
  const { queue } = sync.parts;
  const outcome = await processPage(sync, page);
  const { hasAllLinks } = outcome.recordedWithDocument ?? {
    hasAllLinks: await queue.held(sync.job, (trx) => record(sync, trx, { page, outcome })),
  };
  failpoint("site.page.recorded");
  if (!hasAllLinks) await queue.note(sync.job, tooManyPagesProblem(sync.job));
  return outcome.isLost === true;
}

async function processPage(sync: RunningSync, page: SourcePageRow): Promise<Outcome> {
  const { parts, job } = sync;
  const { documentId } = page;
  const document = documentId === null ? undefined : await parts.documents.get(job.organizationId, documentId);
  if (sync.limitReached && !document) return skippedOutcome(sync.limitReached);
  try {
    const response = await fetchPage(sync, page, document);
    const problem = readProblem(response);
    if (problem) return { page: problem, links: null, isLost: problem.state === "failed" };
    return await storePage(sync, page, { document, response });
  } catch (error) {
    if (sync.signal.aborted) throw sync.signal.reason;
    if (error instanceof OutboundError) return unreachableOutcome(error);
    if (error instanceof ExtractionError) return unreadableOutcome(error);
    throw error;
  }
}

/** @returns false when the site has more pages than the limit */
async function record(
  { parts: { pages }, job }: RunningSync,
  trx: Trx,
  { page: { url, depth }, outcome }: { page: SourcePageRow; outcome: Outcome },
): Promise<boolean> {
  const { page: changes, links, startsAt } = outcome;
  await pages.update(trx, job, { url, changes });
  if (!links) return true;
  const next = depth + 1;
  const hasAdded = await pages.add(trx, job, { urls: links.allowed, depth: next });
  await pages.add(trx, job, { urls: links.disallowed, depth: next, excludedBy: EXCLUDED_BY_ROBOTS });
  await pages.add(trx, job, { urls: links.trapped, depth: next, excludedBy: TRAP_REASON });
  if (startsAt !== undefined) await pages.update(trx, job, { url: startsAt, changes: { depth: 0 } });
  return hasAdded && !links.isTruncated;
}

export function tooManyPagesProblem({ url, maxPages }: SyncJob): SyncProblem {
  return {
    code: "TOO_MANY_PAGES",
    message: `More than ${maxPages} pages were found at ${url}. The rest were not read. Use include and exclude patterns to narrow the site down.`,
  };
}

function unreachableOutcome({ kind, message }: OutboundError): Outcome {
  if (kind === "timeout" || kind === "unreachable") {
    return { page: { state: "failed", reason: message }, links: null, isLost: true };
  }
  return skippedOutcome(message);
}

/**
 * Failures that can be caused by the load or by a fault of this server. They do not mean that the page is unreadable.
 */
const SERVER_FAILURES: readonly DocumentErrorCode[] = ["TOO_SLOW", "OUT_OF_MEMORY", "INTERNAL"];

/** A page that could be fetched but not read, for example because its elements are nested too deeply. */
export function unreadableOutcome({ code, message }: ExtractionError): Outcome {
  if (SERVER_FAILURES.includes(code)) return { page: { state: "failed", reason: message }, links: null };
  return skippedOutcome(message);
}

function skippedOutcome(reason: string, links: Outcome["links"] = null): Outcome {
  return { page: { state: "skipped", reason }, links };
}

/** Decides whether a fetched page is stored, skipped or replaced by the page at its canonical URL. */
async function storePage(
  sync: RunningSync,
  page: SourcePageRow,
  { document, response }: { document: DocumentRow | undefined; response: GetResult },
): Promise<Outcome> {
  const { parts, job, site } = sync;
  const isUnchanged = response.status === 304;
  // The text is stored only if it changed, but the links are always needed.
  const content = isUnchanged ? parts.files.read(document?.fileId ?? "") : [response.body];
  const declared = isUnchanged
    ? { charset: document?.charset ?? null, format: document?.declaredFormat ?? null }
    : declaredType(response.headers["content-type"], "");
  const found = await parts.extractor.readForSite(
    {
      kind: "links",
      scope: site.scope,
      url: page.url,
      isStartPage: page.depth === 0,
      declared,
      maxUrls: maxSourcePages,
    },
    content,
  );
  const links = sync.followsLinks ? divideLinks(sync, page.url, found) : null;
  if (found.hasHashRoutes && found.allowed.every((link) => link === page.url))
    await parts.queue.note(job, hashRoutesProblem(page.url));
  if (!isUnchanged) {
    const alias = await findAlias(sync, page, { answeredBy: response.url, canonical: found.canonical });
    if (alias) return alias;
    if (found.isNoindex || isNoindexHeader(response.headers)) {
      await forget(sync, document);
      return skippedOutcome("The page has a noindex rule.", links);
    }
  }
  if (!found.isInScope) return skippedOutcome("The patterns exclude the page. It was read only for its links.", links);
  if (found.obstacle) return skippedOutcome(obstacleReasons[found.obstacle], links);
  if (!found.hasText) return skippedOutcome(NO_TEXT, links);
  const twin = await parts.pages.twin(job, page.url, found.contentHash);
  if (twin !== undefined) return skippedOutcome(`The page has the same content as ${shortenUrl(twin)}.`, links);
  if (found.isErrorPage && (await isErrorPage(sync, page, found))) {
    return skippedOutcome("The site shows this page for addresses that do not exist.", links);
  }
  const isSame =
    isUnchanged ||
    (document?.state !== "failed" &&
      page.contentHash === found.contentHash &&
      document?.contentHash === hashForDocument(found));
  if (document && isSame) return { page: { state: "read", reason: null, misses: 0 }, links };
  return store(sync, page, { document, response, found, links });
}

export const NO_TEXT =
  "The page contains no text. Pages that are rendered by JavaScript in the browser cannot be read.";

export const obstacleReasons: Record<PageObstacle, string> = {
  script: "The page is rendered by JavaScript in the browser, which cannot be read.",
  sign_in: "The page is a form to sign in.",
};

/** What an owner can do about pages that are rendered by JavaScript. */
export const scriptAdvice =
  "Add the address of a version that the server renders, such as a sitemap of prerendered pages, upload the content as documents, or send it through the API (POST /documents).";

function hashRoutesProblem(url: string): SyncProblem {
  return {
    code: "NEEDS_JAVASCRIPT",
    message: `Links at ${url} lead to addresses with # in them, such as /#/about, which are pages only for JavaScript in the browser. They were not read. ${scriptAdvice}`,
  };
}

function divideLinks({ traps }: RunningSync, url: string, found: LinksResult): PageLinks {
  const { followed, trapped } = traps.divideLinks(url, found);
  return { allowed: followed, trapped, disallowed: found.disallowed, isTruncated: found.isTruncated };
}

const hashForDocument = ({ contentHash, contactHash }: LinksResult) =>
  createHash("sha256").update(contentHash).update(contactHash).digest("base64url");

/**
 * Whether a page is what the site also shows at an address that does not exist. That address is requested once per sync,
 * when a page looks like one.
 */
async function isErrorPage(sync: RunningSync, page: SourcePageRow, found: LinksResult): Promise<boolean> {
  if (page.depth === 0) return false;
  if (sync.errorPage === undefined) sync.errorPage = await fetchErrorPage(sync);
  return sync.errorPage?.title === found.title;
}

async function fetchErrorPage(sync: RunningSync): Promise<Pick<LinksResult, "title"> | null> {
  const { parts, site, signal } = sync;
  const url = `${site.scope.origin}/${randomUUID()}`;
  const { crawlDelayMs, scope } = site;
  try {
    const response = await parts.client.get({ url, maxBytes: MAX_PAGE_BYTES, crawlDelayMs, signal });
    if (response.status !== 200) return null;
    const declared = declaredType(response.headers["content-type"], "");
    return await parts.extractor.readForSite({ kind: "links", scope, url, declared, maxUrls: 1 }, [response.body]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof OutboundError || error instanceof ExtractionError) return null;
    throw error;
  }
}

/**
 * Handles a page that is an alias, because it redirects to another URL or declares one as canonical. If that URL refers
 * back to the page, the page is read anyway.
 */
async function findAlias(
  { parts, job, site, followsLinks }: RunningSync,
  page: SourcePageRow,
  { answeredBy, canonical }: { answeredBy: string; canonical: string | null },
): Promise<Outcome | null> {
  const target = withoutHash(answeredBy) === page.url ? canonical : withoutHash(answeredBy);
  if (target === null || target === page.url) return null;
  const verb = target === canonical ? "declares as its canonical URL" : "redirects to";
  if (new URL(target).host !== new URL(site.scope.origin).host) {
    return isSameSite(target, page.url)
      ? null
      : skippedOutcome(`The page ${verb} another site: ${shortenUrl(target)}.`);
  }
  const targetPage = await parts.pages.get(job, target);
  if (targetPage?.sync === job.sync && targetPage.state !== "pending" && targetPage.state !== "read") return null;
  const { allowed } = await parts.extractor.readForSite({ kind: "addresses", scope: site.scope, urls: [target] });
  const [address] = allowed;
  // A canonical URL that the crawler may not read cannot replace this page.
  if (address === undefined || address === page.url) return null;
  if (!followsLinks && targetPage?.sync !== job.sync) return null;
  const links = { allowed: [address], disallowed: [], trapped: [], isTruncated: false };
  const outcome = skippedOutcome(`The page ${verb} ${shortenUrl(address)}.`, links);
  return page.depth === 0 ? { ...outcome, startsAt: address } : outcome;
}

function withoutHash(address: string): string {
  const url = new URL(address);
  url.hash = "";
  return url.href;
}

/** Whether two URLs differ only in `www.`, a common mistake in canonical URLs that does not mean another site. */
function isSameSite(one: string, other: string): boolean {
  const hostWithoutWww = (address: string) => new URL(address).host.replace(/^www\./, "");
  return hostWithoutWww(one) === hostWithoutWww(other);
}

/** Deletes the document of a page that now has a noindex rule. */
async function forget({ parts, job }: RunningSync, document: DocumentRow | undefined): Promise<void> {
  if (!document) return;
  await parts.queue.extend(job);
  await parts.writer.delete(job.organizationId, [document]);
}

type Found = {
  document: DocumentRow | undefined;
  response: GetResult;
  found: LinksResult;
  links: Outcome["links"];
};

/** Stores a new or changed page. The document, its job and the page are written in one transaction. */
async function store(
  sync: RunningSync,
  page: SourcePageRow,
  { document, response, found, links }: Found,
): Promise<Outcome> {
  const { parts, job, plan } = sync;
  const { organizationId, agentId } = job;
  const { body, headers } = response;
  const file = await parts.files.receive(
    { organizationId, agentId },
    [body],
    declaredType(headers["content-type"], ""),
  );
  failpoint("site.page.stored");
  const content = {
    ...pageContent(page.url, document?.title ?? found.title),
    hasOwnTitle: document?.hasOwnTitle === 1,
    contentHash: hashForDocument(found),
  };
  const changes: Partial<SourcePageRow> = {
    state: "read",
    reason: null,
    misses: 0,
    contentHash: found.contentHash,
    etag: validatorHeader(headers.etag),
    lastModified: validatorHeader(headers["last-modified"]),
  };
  let hasAllLinks = true;
  const alongside = async (trx: Trx, documentId: string) => {
    await parts.queue.hold(trx, job);
    hasAllLinks = await record(sync, trx, { page, outcome: { page: { ...changes, documentId }, links } });
  };
  try {
    if (document) {
      await parts.writer.replace(document, { content, file, alongside });
    } else {
      const principal = { organizationId, plan };
      await parts.writer.insert({ principal, agentId, content, file, sourceId: job.id, alongside });
    }
    return { page: changes, links, recordedWithDocument: { hasAllLinks } };
  } catch (error) {
    parts.writer.discard(file.id);
    if (!(error instanceof AppError) || error.code !== "DOCUMENT_LIMIT_REACHED") throw error;
    sync.limitReached = error.message;
    await parts.queue.note(job, { code: "DOCUMENT_LIMIT_REACHED", message: error.message });
    return skippedOutcome(error.message, links);
  }
}

function validatorHeader(value: string | string[] | undefined): string | null {
  return typeof value === "string" && value.length <= 500 ? value : null;
}
