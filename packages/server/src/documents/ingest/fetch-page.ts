import { getFollowing } from "../../outbound/get-following.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { ROBOT_NAME } from "../sites/site-protocol.ts";
import { ExtractionError } from "./extraction-error.ts";

export const PAGE_TIMEOUT_MS = 30_000;
/** Of a fetched page. Several are in memory at once, so they may be smaller than uploads. */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;
/** How the server introduces itself to sites. */
export const USER_AGENT = `${ROBOT_NAME}/1.0 (knowledge base of a chat agent)`;

export type FetchPage = ReturnType<typeof createFetchPage>;

/** Fetches a single page that a member named. @throws ExtractionError with a message for that member */
export function createFetchPage(outbound: Outbound) {
  return async (url: string, signal: AbortSignal): Promise<Buffer> => {
    const options = {
      url,
      headers: { "user-agent": USER_AGENT },
      timeoutMs: PAGE_TIMEOUT_MS,
      maxBytes: MAX_PAGE_BYTES,
      signal,
    };
    const { status, body } = await getFollowing(outbound, options).catch((error: unknown) => {
      throw signal.aborted ? error : unreachable(error);
    });
    if (status === 404 || status === 410)
      throw new ExtractionError("NOT_REACHABLE", `The page does not exist (HTTP ${status}).`);
    if (status !== 200)
      throw new ExtractionError("NOT_REACHABLE", `The site answered with HTTP ${status} instead of the page.`);
    if (body.length === 0) throw new ExtractionError("NO_TEXT", "The page is empty.");
    return body;
  };
}

/** What went wrong, for a member of the organization. */
function unreachable(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error;
  return new ExtractionError(error.kind === "too_large" ? "TOO_LARGE" : "NOT_REACHABLE", error.message);
}
