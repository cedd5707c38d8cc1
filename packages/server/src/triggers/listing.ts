import type { AgentRow } from "../db/tables.ts";
import { createEntityTag } from "../http/etag.ts";
import { createResponseCache, type ResponseCache } from "../http/response-cache.ts";

const CACHE_BYTES = 64 * 1024 * 1024;

/** The triggers of an agent as a response body, and the origins that may receive it. */
export type Listing = { agent: Pick<AgentRow, "id" | "allowedOrigins">; body: string; headers: { etag: string } };

export type ListingCache = ResponseCache<Listing>;

/** Caches the public listing of each agent for at most 1 s. `now` is a clock in milliseconds. */
export function createListingCache(now: () => number = Date.now): ListingCache {
  return createResponseCache({ maxBytes: CACHE_BYTES, measureBytes: ({ body }) => 2 * body.length, now });
}

export function toListing(agent: Listing["agent"], triggers: readonly unknown[]): Listing {
  // Node writes a text together with the headers, and bytes in a piece of their own.
  const body = JSON.stringify(triggers);
  const headers = {
    etag: createEntityTag(body),
    // Browsers revalidate every time, so that changes are visible immediately. The usual response is 304.
    "cache-control": "no-cache",
    vary: "origin",
    "content-type": "application/json; charset=utf-8",
  };
  return { agent: { id: agent.id, allowedOrigins: agent.allowedOrigins }, body, headers };
}
