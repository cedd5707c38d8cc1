import { OutboundError } from "../../outbound/outbound-error.ts";
import { type DeclaredType, declaredType } from "../extract/declared-type.ts";
import { ExtractionError } from "../extract/extraction-error.ts";
import type { Extractor } from "../extract/extractor.ts";
import { SiteError } from "../sites/discover.ts";
import { openPage } from "../sites/open-page.ts";
import type { SiteClients } from "../sites/site-client.ts";

export type FetchPage = ReturnType<typeof createFetchPage>;

/**
 * Fetches a single page that a member added, by the same rules as the pages of a site: robots.txt decides, and the host
 * gets one request at a time.
 * @throws ExtractionError with a message for that member
 */
export function createFetchPage(clients: SiteClients, extractor: Extractor) {
  return async (
    url: string,
    organizationId: string,
    signal: AbortSignal,
  ): Promise<{ body: Buffer; declared: DeclaredType }> => {
    const parts = {
      client: clients.forOrganization(organizationId),
      extractor: extractor.siteReader({ organizationId, signal }),
    };
    const page = await openPage(parts, { url, include: [], exclude: [] }, signal).catch((error: unknown) => {
      throw signal.aborted ? error : toExtractionError(error, url);
    });
    const { headers, body } = page.response;
    if (body.length === 0) throw new ExtractionError("NO_TEXT", "The page is empty.");
    return { body, declared: declaredType(headers["content-type"], "") };
  };
}

/** Converts the error to one whose message is meant for a member of the organization. */
function toExtractionError(error: unknown, url: string): unknown {
  if (error instanceof SiteError && error.problem.code === "NOT_ALLOWED") {
    return new ExtractionError("NOT_ALLOWED", `robots.txt does not allow FoyerBot to read ${url}.`);
  }
  if (error instanceof SiteError) return new ExtractionError("NOT_REACHABLE", error.message);
  if (!(error instanceof OutboundError)) return error;
  return new ExtractionError(error.kind === "too_large" ? "TOO_LARGE" : "NOT_REACHABLE", error.message);
}
