import type { SourcePreview } from "@foyer/contract";
import { AppError } from "../../errors.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { ExtractionError } from "../ingest/extraction-error.ts";
import { MAX_PAGE_BYTES } from "../ingest/page-limits.ts";
import { type DiscoveryParts, type OpenSite, openSite, readSitemaps, SiteError } from "./discover.ts";

/** Time limit for following links on a site without sitemaps. */
const LINKS_MS = 15_000;
const LINKS_PAGES = 50;
/** Time limit for the whole preview. */
const PREVIEW_MS = 60_000;
const MAX_PREVIEWS = 8;
/** A slow site keeps a preview busy for a minute; one organization must not keep others waiting. */
const MAX_PER_ORGANIZATION = 2;

type Input = { url: string; include: string[]; exclude: string[]; maxPages: number };

/** Finds the pages of a site without storing anything. */
export function createPreview(parts: DiscoveryParts) {
  /** one entry for each running preview: its organization */
  const running: string[] = [];
  return async (organizationId: string, input: Input): Promise<SourcePreview> => {
    const own = running.filter((id) => id === organizationId).length;
    if (running.length >= MAX_PREVIEWS || own >= MAX_PER_ORGANIZATION) {
      throw new AppError("OVERLOADED", "The server is busy with other previews. Try again in a moment.", {
        retryAfter: 5,
      });
    }
    running.push(organizationId);
    const signal = AbortSignal.timeout(PREVIEW_MS);
    try {
      return await preview(parts, input, signal);
    } catch (error) {
      throw explained(error, input.url, signal);
    } finally {
      running.splice(running.indexOf(organizationId), 1);
    }
  };
}

async function preview(parts: DiscoveryParts, input: Input, signal: AbortSignal): Promise<SourcePreview> {
  const url = await startOf(parts, input.url, signal);
  const site = await openSite(parts, { ...input, url }, signal);
  const listed = await readSitemaps(parts, site, { maxUrls: input.maxPages, signal });
  if (listed.allowed.length > 0) {
    return {
      url,
      pages: listed.allowed,
      disallowed: listed.disallowed.length,
      foundIn: "sitemap",
      isComplete: !listed.isTruncated && listed.problem === null,
    };
  }
  return followLinks(parts, site, { maxPages: input.maxPages, signal });
}

/** Follows redirects from the given address. Many sites redirect to `www`, to https or to a language. */
async function startOf({ client }: DiscoveryParts, url: string, signal: AbortSignal): Promise<string> {
  const answer = await client.get({ url, maxBytes: MAX_PAGE_BYTES, crawlDelayMs: null, signal });
  if (answer.status !== 200) {
    throw new SiteError("NOT_REACHABLE", `${answer.url} answered with HTTP ${answer.status} instead of a page.`);
  }
  const start = new URL(answer.url);
  start.hash = "";
  return start.href;
}

async function followLinks(
  { client, extractor }: DiscoveryParts,
  { scope, startUrl, crawlDelayMs }: OpenSite,
  { maxPages, signal }: { maxPages: number; signal: AbortSignal },
): Promise<SourcePreview> {
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
    };
    try {
      const { status, body } = await client.get({ url, maxBytes: MAX_PAGE_BYTES, crawlDelayMs, signal, checkRedirect });
      if (status !== 200) continue;
      const page = await extractor.readForSite({ kind: "links", scope, url, maxUrls: maxPages }, [body]);
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
function explained(error: unknown, url: string, signal: AbortSignal): unknown {
  const message = (text: string) =>
    new AppError("VALIDATION_ERROR", text, { details: [{ path: "url", code: "invalid", message: text }] });
  if (signal.aborted) return message(`${url} is too slow: no pages were found within ${PREVIEW_MS / 1_000} s.`);
  if (error instanceof SiteError || error instanceof OutboundError) return message(error.message);
  return error;
}
