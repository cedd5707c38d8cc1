/** Which addresses belong to a site. The patterns and robots.txt are untrusted, so only the extraction process matches them. */
export type SiteScope = {
  /** protocol and host, such as `https://example.com` */
  origin: string;
  include: string[];
  exclude: string[];
  /** the text of robots.txt; null when there is none */
  robots: string | null;
};

/** Addresses within the site, without duplicates and hashes. Addresses that match no pattern are left out. */
export type Judged = {
  allowed: string[];
  /** excluded by robots.txt */
  disallowed: string[];
  /** the list was cut at the number that was asked for */
  isTruncated: boolean;
};

/** What the extraction process reads for the crawler. The file that goes with it is empty for `addresses`. */
export type SiteJob =
  | { kind: "robots"; scope: SiteScope; startUrl: string }
  | { kind: "sitemap"; scope: SiteScope; url: string; maxUrls: number }
  | { kind: "links"; scope: SiteScope; url: string; maxUrls: number }
  | { kind: "addresses"; scope: SiteScope; urls: string[] };

type RobotsResult = { crawlDelayMs: number | null; sitemaps: string[]; isStartAllowed: boolean };

type SitemapResult = Judged & { sitemaps: string[] };

export type LinksResult = Judged & {
  title: string | null;
  /** absolute; null when the page names none, itself, or an address that is not a web page's */
  canonical: string | null;
  isNoindex: boolean;
  /** the patterns and robots.txt let the page itself be used */
  isInScope: boolean;
  hasText: boolean;
  /** of title and text, so that scripts and changing attributes do not count as a change */
  contentHash: string;
};

export type SiteResult = {
  robots: RobotsResult;
  sitemap: SitemapResult;
  links: LinksResult;
  addresses: Judged;
};
