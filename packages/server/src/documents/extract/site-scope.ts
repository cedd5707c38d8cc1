import { documentFormats } from "@foyer/contract/rules/document-formats";
import { matchPage } from "@foyer/contract/rules/match-page";
import robotsParser, { type Robot } from "robots-parser";
import { ROBOT_NAME } from "./page-limits.ts";
import { plainHost, withoutTracking } from "./site-address.ts";
import type { Judged, SiteScope } from "./site-protocol.ts";

/** Extensions of files that are often linked but never read. */
const otherExtensions =
  "7z aac apk avi avif bmp bz2 css dmg doc eot exe flac gif gz ico ics iso jar jpe?g js json m4a m4v mjs mov mp3 mp4 mpe?g msi ogg otf pkg png ppt rar rss svg tar tgz tiff? ttf vcf wasm wav webm webp wmv woff2? xls xml xz zip";
const unreadExtensions = Object.values(documentFormats).flatMap(({ isCrawled, extensions }) =>
  isCrawled ? [] : extensions,
);
const NO_PAGE = new RegExp(`\\.(${[...otherExtensions.split(" "), ...unreadExtensions].join("|")})$`, "i");

/** The package's types declare a default export that its CommonJS module does not have. */
const parseRobots = robotsParser as unknown as (url: string, text: string) => Robot;

export type AddressFilter = ReturnType<typeof createAddressFilter>;

/** Decides which URLs belong to a site. Run this in the extraction process. */
export function createAddressFilter(scope: SiteScope) {
  const { origin, include, exclude } = scope;
  const robots = scope.robots === null ? null : parseRobots(`${origin}/robots.txt`, scope.robots);
  const site = new URL(origin);

  /** The spellings of a host with and without `www.` are one site. */
  const isOnSite = (url: URL) => plainHost(url) === plainHost(site);

  /** Normalizes a URL; null when it is not a page on this host. */
  function normalize(address: string, base: string): string | null {
    const url = URL.parse(address, base);
    if (!url || !/^https?:$/.test(url.protocol) || !isOnSite(url) || url.username !== "") return null;
    if (NO_PAGE.test(url.pathname) || isTrap(url.pathname)) return null;
    url.protocol = site.protocol;
    url.host = site.host;
    return withoutTracking(url);
  }

  const isIncluded = (url: string) => {
    const { pathname, search } = new URL(url);
    const isMatch = (pattern: string) => matchAddress(pattern, pathname, search);
    return (include.length === 0 || include.some(isMatch)) && !exclude.some(isMatch);
  };
  const isAllowed = (url: string) => robots?.isDisallowed(url, ROBOT_NAME) !== true;

  return {
    robots,
    isOnSite,
    normalize,
    isIncluded,
    isAllowed,
    /** @param maxUrls maximum number of URLs of each kind to return */
    judge(addresses: Iterable<string>, base: string, maxUrls: number): Judged {
      const allowed = new Set<string>();
      const disallowed = new Set<string>();
      for (const address of addresses) {
        const url = normalize(address, base);
        if (url === null || allowed.has(url) || disallowed.has(url) || !isIncluded(url)) continue;
        if (!isAllowed(url)) {
          // Excluded addresses are only listed. However many there are, the allowed addresses after them still count.
          if (disallowed.size < maxUrls) disallowed.add(url);
        } else if (allowed.size < maxUrls) {
          allowed.add(url);
        } else {
          return { allowed: [...allowed], disallowed: [...disallowed], isTruncated: true };
        }
      }
      return { allowed: [...allowed], disallowed: [...disallowed], isTruncated: false };
    },
  };
}

/** A path with a question mark in its pattern is compared with its query as well, in which `*` is any text. */
function matchAddress(pattern: string, pathname: string, search: string): boolean {
  const [path = "", query] = pattern.split(/\?(.*)/s, 2);
  if (query === undefined) return matchPage(pattern, pathname);
  return matchPage(path, pathname) && matchWildcards(query, search.slice(1));
}

function matchWildcards(pattern: string, text: string): boolean {
  const parts = pattern.split(/\*+/);
  const [first = "", ...rest] = parts;
  if (!text.startsWith(first)) return false;
  if (rest.length === 0) return text === first;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  const last = rest.at(-1) ?? "";
  return text.length - last.length >= at && text.endsWith(last);
}

const MAX_REPEATS = 2;

/**
 * Whether a segment with letters occurs three times in a path, which relative links of a wrong base cause without end,
 * such as `/about/about/about/`.
 */
function isTrap(pathname: string): boolean {
  const counts = new Map<string, number>();
  for (const segment of pathname.split("/")) {
    if (!/[^\d._-]/.test(segment)) continue;
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > MAX_REPEATS) return true;
    counts.set(segment, count);
  }
  return false;
}
