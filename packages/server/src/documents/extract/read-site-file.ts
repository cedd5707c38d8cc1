import { createHash } from "node:crypto";
import { extractHtml, type HtmlPage } from "./extract-html.ts";
import { detectFormat } from "./file-probe.ts";
import { ROBOT_NAME } from "./page-limits.ts";
import { readSitemap } from "./read-sitemap.ts";
import type { LinksResult, PageObstacle, SiteJob, SiteResult, SiteScope } from "./site-protocol.ts";
import { type AddressFilter, createAddressFilter } from "./site-scope.ts";

const MAX_SITEMAPS = 1_000;

let latest: { scope: string; filter: AddressFilter } | null = null;

/**
 * Reads a file for the crawler. Run this in the extraction process, because sitemaps, patterns and robots.txt can be
 * hostile.
 */
export function readSiteFile(job: SiteJob, bytes: Uint8Array): SiteResult[SiteJob["kind"]] {
  const filter = createFilter(job.scope);
  switch (job.kind) {
    case "robots": {
      const seconds = filter.robots?.getCrawlDelay(ROBOT_NAME);
      return {
        crawlDelayMs: seconds !== undefined && Number.isFinite(seconds) ? seconds * 1_000 : null,
        sitemaps: (filter.robots?.getSitemaps() ?? []).slice(0, MAX_SITEMAPS),
        isStartAllowed: filter.isAllowed(job.startUrl),
      };
    }
    case "sitemap": {
      const { pages, sitemaps, isCut } = readSitemap(bytes);
      const judged = filter.judge(pages, job.url, job.maxUrls);
      const elsewhere = findElsewhere(filter, pages, job.url);
      return { ...judged, sitemaps: sitemaps.slice(0, MAX_SITEMAPS), isCut, elsewhere };
    }
    case "links":
      return readLinks(filter, job, bytes);
    case "addresses":
      return filter.judge(job.urls, job.scope.origin, job.urls.length);
  }
}

function findElsewhere(filter: AddressFilter, pages: readonly string[], base: string) {
  const others = pages.flatMap((address) => URL.parse(address, base) ?? []).filter((url) => !filter.isOnSite(url));
  const [first] = others;
  return first ? { count: others.length, host: first.host } : null;
}

function readLinks(
  filter: AddressFilter,
  { url, isStartPage = false, declared, maxUrls }: SiteJob & { kind: "links" },
  bytes: Uint8Array,
) {
  const { format, text } = detectFormat(bytes, declared);
  const isInScope = filter.isIncluded(url) && filter.isAllowed(url);
  const nothing = { allowed: [], disallowed: [], isTruncated: false };
  if (format !== "html") {
    const contentHash = createHash("sha256").update(bytes).digest("base64url");
    const result: LinksResult = {
      ...nothing,
      title: null,
      canonical: null,
      isNoindex: false,
      isInScope,
      hasText: true,
      obstacle: null,
      hasHashRoutes: false,
      isErrorPage: false,
      contentHash,
      wordsHash: contentHash,
      contactHash: "",
    };
    return result;
  }
  const page = extractHtml(text, { isStartPage });
  const blocks = page.contact === null ? page.blocks : page.blocks.slice(0, -1);
  const base = (page.base && URL.parse(page.base, url)?.href) || url;
  const written = blocks.map((block) => block.text).join("\n");
  const result: LinksResult = {
    ...(page.isNofollow ? nothing : filter.judge(page.links, base, maxUrls)),
    title: page.title,
    canonical: resolveCanonical(filter, page.canonical, { url, base }),
    isNoindex: page.isNoindex,
    isInScope,
    hasText: /[\p{L}\p{N}]/u.test(written),
    obstacle: findObstacle(page, written),
    hasHashRoutes: page.links.some((href) => /^[^#]*#!?\/./.test(href)),
    isErrorPage: errorTitle.test(`${page.title ?? ""}\n${blocks[0]?.headings[0] ?? ""}`),
    contentHash: hash(JSON.stringify([page.title, blocks])),
    wordsHash: hash([...new Set(`${page.title} ${written}`.match(/\p{L}+/gu))].sort().join(" ")),
    contactHash: page.contact === null ? "" : hash(page.contact),
  };
  return result;
}

const hash = (text: string) => createHash("sha256").update(text).digest("base64url");

const errorTitle =
  /\b404\b|not found|does ?n[o’']t exist|nicht gefunden|introuvable|no encontrad|non trovata|niet gevonden|não encontrad/i;

/** The maximum number of characters of a page that only asks to wait, to enable JavaScript or to sign in. */
const MAX_PLACEHOLDER = 400;
const placeholder = /java\s?script|^\W*(loading|please wait|laden|chargement|cargando)\W*$/i;

function findObstacle({ hasScripts, hasEmptyRoot, hasPassword }: HtmlPage, written: string): PageObstacle | null {
  if (written.length > MAX_PLACEHOLDER) return null;
  if (hasPassword) return "sign_in";
  const isPlaceholder = !/[\p{L}\p{N}]/u.test(written) || hasEmptyRoot || placeholder.test(written);
  return hasScripts && isPlaceholder ? "script" : null;
}

/** The normalized canonical URL. One on another host is returned as written, and the caller decides what it means. */
function resolveCanonical(
  filter: AddressFilter,
  written: string | null,
  { url, base }: { url: string; base: string },
): string | null {
  const target = written === null ? null : URL.parse(written, base);
  if (!target || !/^https?:$/.test(target.protocol)) return null;
  const canonical = filter.normalize(target.href, base) ?? target.href.slice(0, 2_000);
  return canonical === url ? null : canonical;
}

/** Caches the latest filter. The pages of a sync share a scope, so robots.txt is parsed once. */
function createFilter(scope: SiteScope): AddressFilter {
  const key = JSON.stringify(scope);
  if (latest?.scope !== key) latest = { scope: key, filter: createAddressFilter(scope) };
  return latest.filter;
}
