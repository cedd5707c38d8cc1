/** The user agent token that robots.txt and `X-Robots-Tag` match. */
export const ROBOT_NAME = "FoyerBot";
/** The `User-Agent` header that the server sends to sites. */
export const USER_AGENT = `${ROBOT_NAME}/1.0 (knowledge base of a chat agent)`;
/** The timeout for one page, including its redirects. */
export const PAGE_TIMEOUT_MS = 30_000;
/**
 * The maximum size of a fetched page. Several pages are in memory at the same time, so the limit is lower than for
 * uploads.
 */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;
