import type { DocumentRow, SourcePageRow } from "../../db/tables/documents.ts";
import type { GetResult } from "../../outbound/get-following.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { MAX_PAGE_BYTES } from "../extract/page-limits.ts";
import type { DiscoveryParts, OpenSite } from "./discover.ts";

type Fetching = { parts: DiscoveryParts; site: OpenSite; signal: AbortSignal };

/** Fetches a page. The request is conditional if a usable version of the page is stored. */
export async function fetchPage(
  { parts, site, signal }: Fetching,
  { url, etag, lastModified }: SourcePageRow,
  document: DocumentRow | undefined,
): Promise<GetResult> {
  const isUsable = document !== undefined && document.state !== "failed" && document.fileId !== null;
  const { origin } = site.scope;
  const response = await parts.client.get({
    url,
    headers: isUsable
      ? {
          ...(etag === null ? {} : { "if-none-match": etag }),
          ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
        }
      : {},
    maxBytes: MAX_PAGE_BYTES,
    crawlDelayMs: site.crawlDelayMs,
    signal,
    checkRedirect: async (target) => {
      if (new URL(target).host !== new URL(origin).host) {
        throw new LeavesSite(target);
      }
      await requireAllowed(parts, site, target);
    },
  });
  if (response.status === 304 && !isUsable) {
    throw new OutboundError("unreachable", "The site answered 304 Not Modified to an unconditional request.");
  }
  return response;
}

/**
 * Refuses a redirect to a URL that robots.txt excludes or that is not a page of the site. Patterns decide which pages
 * are used, not which redirects are followed.
 * @throws OutboundError
 */
export async function requireAllowed(
  { extractor }: Pick<DiscoveryParts, "extractor">,
  { scope }: OpenSite,
  target: string,
): Promise<void> {
  const anyPath = { ...scope, include: [], exclude: [] };
  const { allowed, disallowed } = await extractor.readForSite({ kind: "addresses", scope: anyPath, urls: [target] });
  if (allowed.length > 0) return;
  const why = disallowed.length > 0 ? "which robots.txt excludes" : "which is not a page of this site";
  throw new OutboundError("redirect", `It redirects to ${shortenUrl(target)}, ${why}.`);
}

/** Thrown for a redirect to another host, which does not mean that the site is down. */
class LeavesSite extends OutboundError {
  constructor(target: string) {
    super("redirect", `It redirects to another site: ${shortenUrl(target)}.`);
  }
}

export const shortenUrl = (url: string) => (url.length > 200 ? `${url.slice(0, 200)}…` : url);
