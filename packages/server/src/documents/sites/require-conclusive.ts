import { maxSourcePages } from "@foyer/contract";
import type { SourcePageRow } from "../../db/tables/documents.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { declaredType } from "../extract/declared-type.ts";
import { ExtractionError } from "../extract/extraction-error.ts";
import { SiteError } from "./discover.ts";
import { fetchPage } from "./fetch-site-page.ts";
import { HIDDEN_BY_OWNER, readProblem } from "./page-problems.ts";
import type { RunningSync } from "./read-page.ts";

/** Losing this many pages in one sync is suspicious. On smaller sites, losing half of the pages is suspicious. */
const MANY_PAGES = 25;
/** The number of pages that are requested although the sync did not find them. */
const PROBES = 3;

/**
 * Ends a sync of a site that may be under maintenance, before any page is counted as gone. Such a site serves the same
 * page at every URL: pages that had their own content then share that of another page, redirect to the same URL or have
 * no text, and pages that only links lead to are not found.
 * @throws SiteError
 */
export async function requireConclusive(sync: RunningSync): Promise<void> {
  const { parts, job } = sync;
  const documents = await parts.pages.countDocuments(job);
  const isMany = (count: number) => count > 0 && count >= Math.min(MANY_PAGES, documents / 2);
  const loss = await parts.pages.mostFrequentLoss(job, HIDDEN_BY_OWNER);
  if (isMany(loss.n)) {
    throw inconclusiveError(
      `${loss.n} of ${documents} pages can no longer be used for the same reason (“${loss.reason}”)`,
    );
  }
  const notFound = await parts.pages.notFound(job, PROBES);
  if (!isMany(notFound.n)) return;
  for (const page of notFound.some) {
    if (!(await isInterchangeable(sync, page))) return;
  }
  throw inconclusiveError(
    `${notFound.n} of ${documents} pages are no longer linked, and those that Foyer fetched as a check fail or show the same content as other pages`,
  );
}

function inconclusiveError(what: string): SiteError {
  return new SiteError(
    "INCONCLUSIVE",
    `${what}, which also happens during maintenance. Nothing was removed. Sync again later, or exclude these pages to remove them.`,
  );
}

/**
 * Whether a page fails or shows the same content as another page of this sync. Such a page does not prove that the site
 * works.
 */
async function isInterchangeable(sync: RunningSync, page: SourcePageRow): Promise<boolean> {
  const { parts, job, site } = sync;
  try {
    const response = await fetchPage(sync, page, undefined);
    const problem = readProblem(response);
    if (problem) return problem.state === "failed";
    const declared = declaredType(response.headers["content-type"], "");
    const { contentHash } = await parts.extractor.readForSite(
      { kind: "links", scope: site.scope, url: page.url, declared, maxUrls: maxSourcePages },
      [response.body],
    );
    return (await parts.pages.twin(job, page.url, contentHash)) !== undefined;
  } catch (error) {
    if (sync.signal.aborted) throw sync.signal.reason;
    if (error instanceof OutboundError) return error.kind === "timeout" || error.kind === "unreachable";
    if (error instanceof ExtractionError) return false;
    throw error;
  }
}
