import { setTimeout as wait } from "node:timers/promises";
import { type GetResult, getWithRedirects } from "../../outbound/get-following.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { parseRetryAfter } from "../../outbound/retry-after.ts";
import { createHostSemaphore } from "../../pools/host-semaphore.ts";
import { PAGE_TIMEOUT_MS, USER_AGENT } from "../extract/page-limits.ts";

/** The minimum delay between two requests to a host, in milliseconds. robots.txt can only increase it. */
const MIN_DELAY_MS = 50;
/** The upper limit for the delay in robots.txt. With this delay, reading 5,000 pages takes 14 hours. */
const MAX_DELAY_MS = 10_000;
/** The time after which the last request to a host is forgotten. */
const FORGET_MS = 60_000;
/** The delay after the first refusal of a site that limits its rate. Each further refusal doubles it. */
const FIRST_SLOW_DELAY_MS = 250;
/** How often a page is requested again when the site asks to wait, and for how long at most each time. */
const MAX_REPEATS = 5;
const MAX_RETRY_AFTER_MS = 60_000;
const DEFAULT_RETRY_AFTER_MS = 2_000;
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
  /** the time of the last request to a host, and the delay that the host has asked for by refusing requests */
  const lastRequests = new Map<string, { at: number; slowDelayMs: number }>();

  function deleteOldRequests(): void {
    const oldest = performance.now() - FORGET_MS;
    // Entries are ordered by time, because each request moves its host to the end.
    for (const [host, { at }] of lastRequests) {
      if (at > oldest) return;
      lastRequests.delete(host);
    }
  }

  function noteRequest(host: string, slowDelayMs: number): void {
    lastRequests.delete(host);
    lastRequests.set(host, { at: performance.now(), slowDelayMs });
  }

  function slowDown(host: string): void {
    noteRequest(host, Math.max(FIRST_SLOW_DELAY_MS, 2 * (lastRequests.get(host)?.slowDelayMs ?? 0)));
  }

  const getOnce = (organizationId: string, { headers, ...options }: Omit<GetOptions, "crawlDelayMs">) =>
    getWithRedirects(outbound, {
      ...options,
      organizationId,
      headers: { "user-agent": USER_AGENT, ...headers },
      timeoutMs: PAGE_TIMEOUT_MS,
    });

  async function get(organizationId: string, { crawlDelayMs, ...options }: GetOptions): Promise<GetResult> {
    const { url, signal } = options;
    const { host } = new URL(url);
    const release = await hosts.acquire(host, { owner: organizationId, maxWaitMs: MAX_WAIT_MS, signal });
    if (!release) {
      signal.throwIfAborted();
      throw new OutboundError("timeout", `${host} is busy with other syncs of this server.`);
    }
    try {
      signal.throwIfAborted();
      for (let repeats = 0; ; repeats++) {
        const last = lastRequests.get(host);
        const delay = Math.min(Math.max(crawlDelayMs ?? 0, last?.slowDelayMs ?? 0, MIN_DELAY_MS), MAX_DELAY_MS);
        const left = (last?.at ?? Number.NEGATIVE_INFINITY) + delay - performance.now();
        if (left > 0) await pause(left, signal);
        const result = await getOnce(organizationId, options);
        const waitMs = readPause(result);
        if (waitMs === null || repeats === MAX_REPEATS) return result;
        slowDown(host);
        await pause(Math.min(waitMs * (repeats + 1), MAX_RETRY_AFTER_MS), signal);
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof OutboundError && error.status === 304) return { url, status: 304, headers: {}, body: empty };
      throw error;
    } finally {
      noteRequest(host, lastRequests.get(host)?.slowDelayMs ?? 0);
      deleteOldRequests();
      release();
    }
  }

  return {
    forOrganization: (organizationId: string): SiteClient => ({ get: (options) => get(organizationId, options) }),
  };
}

/** How long the site asks to wait before the page is requested again, in milliseconds; null if it does not. */
function readPause({ status, headers }: GetResult): number | null {
  if (status !== 429 && status !== 503) return null;
  const retryAfter = parseRetryAfter(headers["retry-after"]);
  // A site that is down for maintenance sends 503 without a time, and usually for longer than a sync can wait.
  if (retryAfter === null && status === 503) return null;
  return retryAfter ?? DEFAULT_RETRY_AFTER_MS;
}

const empty = Buffer.alloc(0);
