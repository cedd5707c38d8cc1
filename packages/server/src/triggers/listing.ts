import { LRUCache } from "lru-cache";
import type { AgentRow } from "../db/tables.ts";
import { entityTag } from "../http/etag.ts";

/**
 * Keeps the promise that changes in another process are visible within 5 s, with a margin for the time that reading
 * takes.
 */
const CACHE_MS = 4_500;
const CACHE_BYTES = 64 * 1024 * 1024;
/** The approximate size of an entry besides its body. */
const ENTRY_BYTES = 1_024;

/** The triggers of an agent as a response body, and the origins that may receive it. */
export type Listing = { agent: Pick<AgentRow, "id" | "allowedOrigins">; body: Buffer; headers: { etag: string } };

export type ListingCache = ReturnType<typeof createListingCache>;

/** Caches the public listing of each agent for at most 5 s. `now` is a clock in milliseconds. */
export function createListingCache(now: () => number = Date.now) {
  const known = new LRUCache<string, { listing: Listing; until: number }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ listing }) => listing.body.length + ENTRY_BYTES,
  });
  const reading = new Map<string, Promise<Listing>>();

  async function load(agentId: string, read: (agentId: string) => Promise<Listing>) {
    const until = now() + CACHE_MS;
    const loading = read(agentId);
    reading.set(agentId, loading);
    try {
      const listing = await loading;
      // A read that started before a change must not put the old state back into the cache.
      if (reading.get(agentId) === loading) known.set(agentId, { listing, until });
      return listing;
    } finally {
      if (reading.get(agentId) === loading) reading.delete(agentId);
    }
  }

  return {
    /** Returns a cached listing synchronously. Otherwise it calls `read`, and concurrent callers share the result. */
    get(agentId: string, read: (agentId: string) => Promise<Listing>): Listing | Promise<Listing> {
      const entry = known.get(agentId);
      if (entry && entry.until > now()) return entry.listing;
      return reading.get(agentId) ?? load(agentId, read);
    },
    /** Call it when something that visitors can see has changed. */
    forget(agentId: string): void {
      known.delete(agentId);
      reading.delete(agentId);
    },
  };
}

export function toListing(agent: Listing["agent"], triggers: readonly unknown[]): Listing {
  const body = Buffer.from(JSON.stringify(triggers));
  const headers = {
    etag: entityTag(body),
    // Browsers revalidate every time, so that changes are visible immediately. The usual response is 304.
    "cache-control": "no-cache",
    vary: "origin",
    "content-type": "application/json; charset=utf-8",
  };
  return { agent: { id: agent.id, allowedOrigins: agent.allowedOrigins }, body, headers };
}
