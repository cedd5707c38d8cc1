import { setTimeout as wait } from "node:timers/promises";
import { type GetResult, getFollowing } from "../../outbound/get-following.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { createHostSemaphore } from "../../outbox/host-semaphore.ts";
import { PAGE_TIMEOUT_MS, USER_AGENT } from "../ingest/page-limits.ts";

/** Between two requests to a host, if its robots.txt asks for nothing else or for less. */
const MIN_DELAY_MS = 50;
/** A longer delay that robots.txt asks for counts as this one: 5,000 pages take 14 hours with it. */
const MAX_DELAY_MS = 10_000;
/** After this time it does not matter any more when a host was last asked. */
const FORGET_MS = 60_000;
const MAX_WAIT_MS = 300_000;

export type SiteClient = ReturnType<typeof createSiteClient>;

type GetOptions = {
  url: string;
  headers?: Record<string, string>;
  maxBytes: number;
  /** what robots.txt asks for; null when it says nothing */
  crawlDelayMs: number | null;
  signal: AbortSignal;
  /** Throws to refuse a redirect to this address. */
  checkRedirect?: (url: string) => void | Promise<void>;
};

/** Asks sites for pages, one request at a time to each host and with a pause in between. */
export function createSiteClient(outbound: Outbound) {
  const hosts = createHostSemaphore(1);
  const lastRequests = new Map<string, number>();

  function forgetOld(): void {
    const oldest = performance.now() - FORGET_MS;
    // Entries are in the order of their instants, because each request moves its host to the end.
    for (const [host, at] of lastRequests) {
      if (at > oldest) return;
      lastRequests.delete(host);
    }
  }

  return {
    /** @throws OutboundError; the answer to a conditional request can be a status of 304 without a body */
    async get({ crawlDelayMs, ...options }: GetOptions): Promise<GetResult> {
      const { url, headers, signal } = options;
      const { host } = new URL(url);
      const release = await hosts.acquire(host, MAX_WAIT_MS, signal);
      signal.throwIfAborted();
      if (!release) throw new OutboundError("timeout", `${host} is busy with other syncs of this server.`);
      try {
        const delay = Math.min(Math.max(crawlDelayMs ?? 0, MIN_DELAY_MS), MAX_DELAY_MS);
        const pause = (lastRequests.get(host) ?? Number.NEGATIVE_INFINITY) + delay - performance.now();
        if (pause > 0) await wait(pause, undefined, { signal });
        return await getFollowing(outbound, {
          ...options,
          headers: { "user-agent": USER_AGENT, ...headers },
          timeoutMs: PAGE_TIMEOUT_MS,
        });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof OutboundError && error.status === 304)
          return { url, status: 304, headers: {}, body: empty };
        throw error;
      } finally {
        lastRequests.delete(host);
        lastRequests.set(host, performance.now());
        forgetOld();
        release();
      }
    },
  };
}

const empty = Buffer.alloc(0);
