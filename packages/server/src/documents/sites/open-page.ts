import type { GetResult } from "../../outbound/get-following.ts";
import { MAX_PAGE_BYTES } from "../extract/page-limits.ts";
import { type DiscoveryParts, type OpenSite, openSite, SiteError } from "./discover.ts";
import { requireAllowed } from "./fetch-site-page.ts";

/** The maximum number of consecutive redirects to another site. */
const MAX_MOVES = 3;

/** Thrown to continue with another site, whose robots.txt has not been read yet. */
class RedirectsElsewhere extends Error {
  readonly target: string;

  constructor(target: string) {
    super(`The page redirects to ${target}.`);
    this.target = target;
  }
}

type OpenedPage = {
  /** the site to which the address finally redirects */
  site: OpenSite;
  /** the final address without its fragment */
  startUrl: string;
  response: GetResult;
};

/**
 * Fetches the page to which an address finally redirects: many sites redirect to `www`, to https or to a language. No
 * page is requested before the robots.txt of its own site allows it.
 * @throws SiteError or OutboundError
 */
export async function openPage(
  parts: DiscoveryParts,
  input: { url: string; include: string[]; exclude: string[] },
  signal: AbortSignal,
): Promise<OpenedPage> {
  let { url } = input;
  for (let moves = 0; moves <= MAX_MOVES; moves++) {
    const site = await openSite(parts, { ...input, url }, signal);
    const checkRedirect = (target: string) => {
      if (new URL(target).origin !== site.scope.origin) throw new RedirectsElsewhere(target);
      return requireAllowed(parts, site, target);
    };
    try {
      const { crawlDelayMs } = site;
      const response = await parts.client.get({ url, maxBytes: MAX_PAGE_BYTES, crawlDelayMs, signal, checkRedirect });
      if (response.status !== 200) {
        const reason = `${response.url} responded with HTTP ${response.status} instead of a page.`;
        throw new SiteError("NOT_REACHABLE", reason);
      }
      const start = new URL(response.url);
      start.hash = "";
      return { site, startUrl: start.href, response };
    } catch (error) {
      if (!(error instanceof RedirectsElsewhere)) throw error;
      url = error.target;
    }
  }
  throw new SiteError("NOT_REACHABLE", `${input.url} redirects to more than ${MAX_MOVES} other sites.`);
}
