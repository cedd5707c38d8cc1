import type { SourcePreview } from "@foyer/contract";
import { AppError } from "../../errors.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { createFairPool } from "../../pools/fair-pool.ts";
import { declaredType } from "../extract/declared-type.ts";
import { ExtractionError } from "../extract/extraction-error.ts";
import type { Extractor } from "../extract/extractor.ts";
import { MAX_PAGE_BYTES } from "../extract/page-limits.ts";
import { type DiscoveryParts, type OpenSite, readSitemaps, SiteError } from "./discover.ts";
import { requireAllowed } from "./fetch-site-page.ts";
import { openPage } from "./open-page.ts";
import type { SiteClients } from "./site-client.ts";

/** The time limit for following links on a site without sitemaps, in milliseconds. */
const LINKS_MS = 15_000;
const LINKS_PAGES = 50;
/** The time limit for the whole preview, in milliseconds. */
const PREVIEW_MS = 60_000;
/**
 * The maximum number of concurrent previews. A preview mostly waits for its site, which can take the whole minute, so
 * there are many more than a few slow sites can occupy.
 */
const MAX_PREVIEWS = 32;
/** The maximum number of previews per organization. */
const MAX_PER_ORGANIZATION = 2;

type Input = { url: string; include: string[]; exclude: string[]; maxPages: number };

/** Finds the pages of a site without storing anything. Aborting `disconnected` ends it. */
export function createPreview({ clients, extractor }: { clients: SiteClients; extractor: Extractor }) {
  const pool = createFairPool({
    name: "previews",
    size: MAX_PREVIEWS,
    maxPerOwner: MAX_PER_ORGANIZATION,
    messages: { busy: "The server is busy with other previews. Try again in a moment." },
  });
  return async (organizationId: string, input: Input, disconnected: AbortSignal): Promise<SourcePreview> => {
    const release = pool.enter({ owner: organizationId });
    const timeout = AbortSignal.timeout(PREVIEW_MS);
    const signal = AbortSignal.any([timeout, disconnected]);
    try {
      const client = clients.forOrganization(organizationId);
      const parts = { client, extractor: extractor.siteReader({ organizationId, signal }) };
      return await preview(parts, input, signal);
    } catch (error) {
      throw disconnected.aborted ? disconnected.reason : toPreviewError(error, input.url, timeout);
    } finally {
      release();
    }
  };
}

async function preview(parts: DiscoveryParts, input: Input, signal: AbortSignal): Promise<SourcePreview> {
  const { site, startUrl } = await openPage(parts, input, signal);
  const listed = await readSitemaps(parts, site, { maxUrls: input.maxPages, signal });
  if (listed.allowed.length > 0) {
    return {
      url: startUrl,
      pages: listed.allowed,
      disallowed: listed.disallowed.length,
      foundIn: "sitemap",
      isComplete: !listed.isTruncated && listed.problem === null,
    };
  }
  return followLinks(parts, { ...site, startUrl }, { maxPages: input.maxPages, signal });
}

async function followLinks(
  { client, extractor }: DiscoveryParts,
  site: OpenSite,
  { maxPages, signal }: { maxPages: number; signal: AbortSignal },
): Promise<SourcePreview> {
  const { scope, startUrl, crawlDelayMs } = site;
  const until = performance.now() + LINKS_MS;
  const found = new Set<string>();
  const disallowed = new Set<string>();
  const queue = [startUrl];
  const queued = new Set(queue);
  let isTruncated = false;
  for (let count = 0; count < LINKS_PAGES && performance.now() < until && found.size < maxPages; count++) {
    const url = queue.shift();
    if (url === undefined) break;
    const checkRedirect = (target: string) => {
      if (new URL(target).origin !== scope.origin)
        throw new OutboundError("redirect", `${url} redirects to another site.`);
      return requireAllowed({ extractor }, site, target);
    };
    try {
      const answer = await client.get({ url, maxBytes: MAX_PAGE_BYTES, crawlDelayMs, signal, checkRedirect });
      if (answer.status !== 200) continue;
      const declared = declaredType(answer.headers["content-type"], "");
      const page = await extractor.readForSite({ kind: "links", scope, url, declared, maxUrls: maxPages }, [
        answer.body,
      ]);
      if (page.isInScope && !page.isNoindex) found.add(url);
      for (const address of page.disallowed) if (disallowed.size < maxPages) disallowed.add(address);
      isTruncated ||= page.isTruncated;
      for (const address of page.allowed) {
        if (queued.has(address) || queued.size >= maxPages) continue;
        queued.add(address);
        queue.push(address);
      }
    } catch (error) {
      // Pages that cannot be read are left out.
      if (signal.aborted || !(error instanceof OutboundError || error instanceof ExtractionError)) throw error;
    }
  }
  for (const url of queue) if (found.size < maxPages) found.add(url);
  return {
    url: startUrl,
    pages: [...found],
    disallowed: disallowed.size,
    foundIn: "links",
    isComplete: queue.length === 0 && !isTruncated,
  };
}

/** Reports a problem with the site as a validation error of the request's `url`. */
function toPreviewError(error: unknown, url: string, timeout: AbortSignal): unknown {
  const urlError = (text: string) =>
    new AppError("VALIDATION_ERROR", text, { details: [{ path: "url", code: "invalid", message: text }] });
  if (timeout.aborted) return urlError(`${url} is too slow: no pages were found within ${PREVIEW_MS / 1_000} s.`);
  if (error instanceof SiteError || error instanceof OutboundError) return urlError(error.message);
  return error;
}
