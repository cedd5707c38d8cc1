import type { DeclaredType } from "./declared-type.ts";

/**
 * Defines which URLs belong to a site. Patterns and robots.txt are untrusted, so only the extraction process matches
 * them.
 */
export type SiteScope = {
  /** protocol and host, such as `https://example.com` */
  origin: string;
  include: string[];
  exclude: string[];
  /** the text of robots.txt; null when there is none */
  robots: string | null;
};

/** URLs within the site, without duplicates and fragments. URLs that the patterns exclude are left out. */
export type Judged = {
  allowed: string[];
  /** excluded by robots.txt */
  disallowed: string[];
  /** whether `allowed` was truncated to the requested number */
  isTruncated: boolean;
};

/** A job of the extraction process for the crawler. The accompanying file is empty for `addresses`. */
export type SiteJob =
  | { kind: "robots"; scope: SiteScope; startUrl: string }
  | { kind: "sitemap"; scope: SiteScope; url: string; maxUrls: number }
  | { kind: "links"; scope: SiteScope; url: string; isStartPage?: boolean; declared: DeclaredType; maxUrls: number }
  | { kind: "addresses"; scope: SiteScope; urls: string[] };

type RobotsResult = { crawlDelayMs: number | null; sitemaps: string[]; isStartAllowed: boolean };

type SitemapResult = Judged & {
  sitemaps: string[];
  isCut: boolean;
  /** the addresses on other hosts, which do not belong to the site */
  elsewhere: { count: number; host: string } | null;
};

export type LinksResult = Judged & {
  title: string | null;
  /** absolute; null when the page declares none, itself, or a URL that is not a web page */
  canonical: string | null;
  isNoindex: boolean;
  /** whether the patterns and robots.txt allow the page */
  isInScope: boolean;
  hasText: boolean;
  /** why the page has less text than visitors see, or none that answers questions */
  obstacle: PageObstacle | null;
  /** whether links lead to routes after `#`, which only JavaScript in the browser resolves */
  hasHashRoutes: boolean;
  /** whether the title says that the address does not exist */
  isErrorPage: boolean;
  /** hash of title and text, so that changed scripts or attributes do not count as a change */
  contentHash: string;
  /** hash of the words without numbers, which the pages of a calendar share */
  wordsHash: string;
  /** for start pages: hash of the contact information around the content; otherwise empty */
  contactHash: string;
};

/** `script`: JavaScript renders the page in the browser. `sign_in`: the page is a form to sign in. */
export type PageObstacle = "script" | "sign_in";

export type SiteResult = {
  robots: RobotsResult;
  sitemap: SitemapResult;
  links: LinksResult;
  addresses: Judged;
};
