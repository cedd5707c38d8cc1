import { OutboundError } from "../../outbound/outbound-error.ts";
import { ExtractionError } from "../extract/extraction-error.ts";
import type { SiteReader } from "../extract/extractor.ts";
import { plainHost } from "../extract/site-address.ts";
import type { Judged, SiteScope } from "../extract/site-protocol.ts";
import type { SiteClient } from "./site-client.ts";
import type { SyncProblem } from "./sync-queue.ts";

/**
 * The maximum size of robots.txt that is read. RFC 9309 requires crawlers to read at least 500 KiB. The rest is
 * ignored.
 */
const MAX_ROBOTS_BYTES = 512 * 1024;
const MAX_ROBOTS_DOWNLOAD = 4 * 1024 * 1024;
const MAX_SITEMAP_BYTES = 20 * 1024 * 1024;
/** The maximum number of sitemaps per sync or preview, including those listed in sitemap indexes. */
const MAX_SITEMAPS = 100;

export type DiscoveryParts = { client: SiteClient; extractor: SiteReader };

/** A site whose robots.txt was read. */
export type OpenSite = {
  scope: SiteScope;
  startUrl: string;
  crawlDelayMs: number | null;
  /** URLs listed in robots.txt */
  sitemaps: string[];
};

/** Thrown when a site cannot be read at all. */
export class SiteError extends Error {
  readonly problem: SyncProblem;

  constructor(code: SyncProblem["code"], message: string) {
    super(message);
    this.problem = { code, message };
  }
}

/** Reads robots.txt. @throws SiteError when the site cannot be reached or robots.txt excludes its start page */
export async function openSite(
  { client, extractor }: DiscoveryParts,
  { url, include, exclude }: { url: string; include: string[]; exclude: string[] },
  signal: AbortSignal,
): Promise<OpenSite> {
  const { origin } = new URL(url);
  const robots = await fetchRobots(client, origin, signal);
  const scope = { origin, include, exclude, robots };
  const rules = await extractor.readForSite({ kind: "robots", scope, startUrl: url }).catch((error: unknown) => {
    throw new SiteError("NOT_ALLOWED", `${origin}/robots.txt could not be parsed: ${errorMessage(error)}`);
  });
  if (!rules.isStartAllowed) {
    throw new SiteError(
      "NOT_ALLOWED",
      `${origin}/robots.txt does not allow FoyerBot to read ${url}. Allow it there with "User-agent: FoyerBot" and "Allow: /", then sync again.`,
    );
  }
  return { scope, startUrl: url, crawlDelayMs: rules.crawlDelayMs, sitemaps: rules.sitemaps };
}

/** @returns the text, or null when there is no robots.txt, which allows everything */
async function fetchRobots(client: SiteClient, origin: string, signal: AbortSignal): Promise<string | null> {
  const url = `${origin}/robots.txt`;
  const refuse = (what: string) =>
    new SiteError(
      "NOT_REACHABLE",
      `${url} ${what}, so no page was read and none was removed. Check that the address opens in a browser, then try again.`,
    );
  const options = { url, maxBytes: MAX_ROBOTS_DOWNLOAD, crawlDelayMs: null, signal };
  const { status, body } = await client.get(options).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
    throw refuse(`could not be fetched (${error.message.replace(/\.$/, "")})`);
  });
  if (status === 429 || status >= 500) throw refuse(`responded with HTTP ${status}`);
  if (status !== 200) return null;
  return new TextDecoder().decode(body.subarray(0, MAX_ROBOTS_BYTES));
}

/** Where sitemaps are if robots.txt names none: the usual place, and those of WordPress and its plugins. */
const usualSitemaps = ["sitemap.xml", "sitemap_index.xml", "wp-sitemap.xml"];

export type SitemapPages = Judged & {
  /** set when a sitemap that should exist could not be read */
  problem: SyncProblem | null;
};

/** The pages that the site's sitemaps list, at most `maxUrls`. */
export async function readSitemaps(
  { client, extractor }: DiscoveryParts,
  { scope, crawlDelayMs, sitemaps }: OpenSite,
  { maxUrls, signal }: { maxUrls: number; signal: AbortSignal },
): Promise<SitemapPages> {
  const usual = usualSitemaps.map((name) => `${scope.origin}/${name}`);
  const named = sitemaps.flatMap((address) => URL.parse(address, scope.origin)?.href ?? []);
  const waiting = named.length > 0 ? [...new Set(named)] : [...usual];
  const hosts = new Set([...named, ...usual].map((address) => plainHost(new URL(address))));
  const seen = new Set(waiting);
  const allowed = new Set<string>();
  const disallowed = new Set<string>();
  let problem: SyncProblem | null = null;
  for (let count = 0; waiting.length > 0 && allowed.size <= maxUrls; count++) {
    const url = waiting.shift() ?? "";
    const isGuess = named.length === 0 && usual.includes(url);
    if (count === MAX_SITEMAPS) {
      problem ??= describeFailure(url, `was not read, because only ${MAX_SITEMAPS} sitemaps of a site are`);
      break;
    }
    try {
      const { status, body } = await client.get({ url, maxBytes: MAX_SITEMAP_BYTES, crawlDelayMs, signal });
      // A site whose robots.txt lists no sitemap is not required to have one.
      if (isGuess && status >= 400 && status < 500 && status !== 429) continue;
      if (status !== 200) throw new SiteError("SITEMAP_FAILED", `responded with HTTP ${status}`);
      const found = await extractor.readForSite({ kind: "sitemap", scope, url, maxUrls: maxUrls + 1 }, [body]);
      // The other usual names lead to the same sitemap.
      if (isGuess) waiting.splice(0, waiting.length, ...waiting.filter((address) => !usual.includes(address)));
      // Collect one page more than the maximum, which shows that the list is truncated.
      for (const page of found.allowed) if (allowed.size <= maxUrls) allowed.add(page);
      for (const page of found.disallowed) if (disallowed.size < maxUrls) disallowed.add(page);
      if (found.elsewhere && found.allowed.length + found.disallowed.length + found.sitemaps.length === 0) {
        const { count, host } = found.elsewhere;
        problem ??= describeFailure(url, `lists ${count} pages on ${host}, and none on ${new URL(scope.origin).host}`);
      }
      if (found.isCut) problem ??= describeFailure(url, "ends before it is complete");
      for (const address of found.sitemaps) {
        const sitemap = URL.parse(address, url);
        if (!sitemap || !hosts.has(plainHost(sitemap)) || seen.has(sitemap.href)) continue;
        seen.add(sitemap.href);
        waiting.push(sitemap.href);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      // Many sites respond with an HTML page at URLs that do not exist.
      const isPage = error instanceof ExtractionError && error.code === "NOT_SUPPORTED";
      if (isGuess && isPage) continue;
      problem ??= describeFailure(url, `could not be read (${errorMessage(error).replace(/\.$/, "")})`);
    }
  }
  const isTruncated = allowed.size > maxUrls;
  return { allowed: [...allowed].slice(0, maxUrls), disallowed: [...disallowed], isTruncated, problem };
}

function describeFailure(url: string, what: string): SyncProblem {
  return {
    code: "SITEMAP_FAILED",
    message: `The sitemap ${url} ${what}. Pages that only it lists may be missing; none was removed.`,
  };
}

function errorMessage(error: unknown): string {
  if (error instanceof SiteError || error instanceof OutboundError || error instanceof ExtractionError) {
    return error.message;
  }
  throw error;
}
