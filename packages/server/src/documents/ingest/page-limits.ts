/** By which robots.txt and `X-Robots-Tag` address the crawler. */
export const ROBOT_NAME = "FoyerBot";
/** How the server introduces itself to sites. */
export const USER_AGENT = `${ROBOT_NAME}/1.0 (knowledge base of a chat agent)`;
export const PAGE_TIMEOUT_MS = 30_000;
/** Of a fetched page. Several are in memory at once, so they may be smaller than uploads. */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;
