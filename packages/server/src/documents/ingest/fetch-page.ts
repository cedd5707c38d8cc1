import { getWithRedirects } from "../../outbound/get-following.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { parseCharset } from "./charset.ts";
import { ExtractionError } from "./extraction-error.ts";
import { MAX_PAGE_BYTES, PAGE_TIMEOUT_MS, USER_AGENT } from "./page-limits.ts";

export type FetchPage = ReturnType<typeof createFetchPage>;

/** Fetches a single page that a member added. @throws ExtractionError with a message for that member */
export function createFetchPage(outbound: Outbound) {
  return async (
    url: string,
    organizationId: string,
    signal: AbortSignal,
  ): Promise<{ body: Buffer; charset: string | null }> => {
    const options = {
      url,
      organizationId,
      headers: { "user-agent": USER_AGENT },
      timeoutMs: PAGE_TIMEOUT_MS,
      maxBytes: MAX_PAGE_BYTES,
      signal,
    };
    const { status, headers, body } = await getWithRedirects(outbound, options).catch((error: unknown) => {
      throw signal.aborted ? error : toExtractionError(error);
    });
    if (status === 404 || status === 410)
      throw new ExtractionError("NOT_REACHABLE", `The page does not exist (HTTP ${status}).`);
    if (status !== 200)
      throw new ExtractionError("NOT_REACHABLE", `The site responded with HTTP ${status} instead of the page.`);
    if (body.length === 0) throw new ExtractionError("NO_TEXT", "The page is empty.");
    return { body, charset: parseCharset(headers["content-type"]) };
  };
}

/** Converts the error to one whose message is meant for a member of the organization. */
function toExtractionError(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error;
  return new ExtractionError(error.kind === "too_large" ? "TOO_LARGE" : "NOT_REACHABLE", error.message);
}
