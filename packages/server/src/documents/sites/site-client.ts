import { setTimeout as wait } from "node:timers/promises";
import { type GetResult, getWithRedirects } from "../../outbound/get-following.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { createHostSemaphore } from "../../pools/host-semaphore.ts";
import { PAGE_TIMEOUT_MS, USER_AGENT } from "../ingest/page-limits.ts";

/** The minimum delay between two requests to a host, in milliseconds. robots.txt can only increase it. */
const MIN_DELAY_MS = 50;
/** The upper limit for the delay in robots.txt. With this delay, reading 5,000 pages takes 14 hours. */
const MAX_DELAY_MS = 10_000;
/** The time after which the last request to a host is forgotten. */
const FORGET_MS = 60_000;
const MAX_WAIT_MS = 300_000;

type Pause = (ms: number, signal: AbortSignal) => Promise<void>;
export type SiteClients = ReturnType<typeof createSiteClients>;

/** Fetches pages for one organization. */
export type SiteClient = {
  /** A conditional request can return status 304 without a body. @throws OutboundError */
  get(options: GetOptions): Promise<GetResult>;
};

type GetOptions = {
  url: string;
  headers?: Record<string, string>;
  maxBytes: number;
  /** the delay in robots.txt, or null */
  crawlDelayMs: number | null;
  signal: AbortSignal;
  /** Throws to refuse a redirect to this address. */
  checkRedirect?: (url: string) => void | Promise<void>;
};

/**
 * Fetches pages with one request at a time per host and a delay between requests. Organizations that read the same host
 * share this pace and take turns.
 * @param pause waits for some milliseconds; replaced in tests
 */
export function createSiteClients(outbound: Outbound, pause: Pause = (ms, signal) => wait(ms, undefined, { signal })) {
  const hosts = createHostSemaphore({ size: 1 });
  const lastRequests = new Map<string, number>();

  function deleteOldRequests(): void {
    const oldest = performance.now() - FORGET_MS;
    // Entries are ordered by time, because each request moves its host to the end.
    for (const [host, at] of lastRequests) {
      if (at > oldest) return;
      lastRequests.delete(host);
    }
  }

  async function get(organizationId: string, { crawlDelayMs, ...options }: GetOptions): Promise<GetResult> {
    const { url, headers, signal } = options;
    const { host } = new URL(url);
    const release = await hosts.acquire(host, { owner: organizationId, maxWaitMs: MAX_WAIT_MS, signal });
    if (!release) {
      signal.throwIfAborted();
      throw new OutboundError("timeout", `${host} is busy with other syncs of this server.`);
    }
    try {
      signal.throwIfAborted();
      const delay = Math.min(Math.max(crawlDelayMs ?? 0, MIN_DELAY_MS), MAX_DELAY_MS);
      const left = (lastRequests.get(host) ?? Number.NEGATIVE_INFINITY) + delay - performance.now();
      if (left > 0) await pause(left, signal);
      return await getWithRedirects(outbound, {
        ...options,
        organizationId,
        headers: { "user-agent": USER_AGENT, ...headers },
        timeoutMs: PAGE_TIMEOUT_MS,
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof OutboundError && error.status === 304) return { url, status: 304, headers: {}, body: empty };
      throw error;
    } finally {
      lastRequests.delete(host);
      lastRequests.set(host, performance.now());
      deleteOldRequests();
      release();
    }
  }

  return {
    forOrganization: (organizationId: string): SiteClient => ({ get: (options) => get(organizationId, options) }),
  };
}

const empty = Buffer.alloc(0);
