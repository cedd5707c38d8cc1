import { LRUCache } from "lru-cache";
import type { AgentRow } from "../db/tables.ts";
import { entityTag } from "../http/etag.ts";

/** Changes in another process are seen within 5 s; a little less, so that it holds with the time that reading takes. */
const CACHE_MS = 4_500;
const CACHE_BYTES = 64 * 1024 * 1024;
/** What an entry takes besides its body, roughly. */
const ENTRY_BYTES = 1_024;

/** What an agent's pages get, ready to be sent, and which pages may have it. */
export type Listing = { agent: Pick<AgentRow, "id" | "allowedOrigins">; body: Buffer; headers: { etag: string } };

export type ListingCache = ReturnType<typeof createListingCache>;

/** The public listing of each agent, for at most 5 s. `now` is a clock in milliseconds. */
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
      // What was being read when something changed must not bring the old state back.
      if (reading.get(agentId) === loading) known.set(agentId, { listing, until });
      return listing;
    } finally {
      if (reading.get(agentId) === loading) reading.delete(agentId);
    }
  }

  return {
    /** At once when it is known. Else `read` is called; what comes at the same time waits for the same answer. */
    get(agentId: string, read: (agentId: string) => Promise<Listing>): Listing | Promise<Listing> {
      const entry = known.get(agentId);
      if (entry && entry.until > now()) return entry.listing;
      return reading.get(agentId) ?? load(agentId, read);
    },
    /** Something of the agent that visitors see has changed. */
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
    // The browser asks again every time, so that a change is there at once; mostly it is told that nothing changed.
    "cache-control": "no-cache",
    vary: "origin",
    "content-type": "application/json; charset=utf-8",
  };
  return { agent: { id: agent.id, allowedOrigins: agent.allowedOrigins }, body, headers };
}
