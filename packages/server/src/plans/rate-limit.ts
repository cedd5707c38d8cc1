import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Config } from "../config.ts";
import { AppError } from "../errors.ts";
import { isDirect } from "../http/forwarded.ts";
import { isLoopback } from "../loopback.ts";
import { noteLimit } from "./rate-limit-headers.ts";

/**
 * Counts calls per minute and key, in this process. Calls without a key are exempt, and their responses only state the
 * limit. The response to `request` carries the caller's state.
 */
export type RateLimit = {
  consume(key: string | null, request?: FastifyRequest, points?: number): Promise<void>;
  /** Counts further calls, without a response that states the limit. */
  penalize(key: string | null, points: number): Promise<void>;
  /** Lets the response carry the caller's state although the call does not count, such as one with an invalid body. */
  note(key: string | null, request: FastifyRequest): Promise<void>;
};

/** `perMinute` 0 disables the limit. `consume` throws 429 when the limit is reached. */
export function createRateLimit(perMinute: number, what: string): RateLimit {
  if (perMinute === 0) return { consume: async () => {}, penalize: async () => {}, note: async () => {} };
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  const unusedLimit = () => ({ limit: perMinute, remaining: perMinute, resetsAt: Date.now() + MINUTE_MS });
  return {
    async note(key, request) {
      const state = key === null ? null : await limiter.get(key);
      if (!state) return noteLimit(request, unusedLimit());
      const { remainingPoints, msBeforeNext } = state;
      noteLimit(request, {
        limit: perMinute,
        remaining: Math.max(0, remainingPoints),
        resetsAt: Date.now() + msBeforeNext,
      });
    },
    async penalize(key, points) {
      if (key !== null) await limiter.penalty(key, points);
    },
    async consume(key, request, points = 1) {
      if (key === null) {
        if (request) noteLimit(request, unusedLimit());
        return;
      }
      try {
        const { remainingPoints: remaining, msBeforeNext } = await limiter.consume(key, points);
        if (request) noteLimit(request, { limit: perMinute, remaining, resetsAt: Date.now() + msBeforeNext });
      } catch (result) {
        if (!(result instanceof RateLimiterRes)) throw result;
        const retryAfter = Math.max(1, result.msBeforeNext) / 1_000;
        const message = `Too many ${what}. Try again in ${Math.ceil(retryAfter)} s.`;
        throw new AppError("RATE_LIMITED", message, { retryAfter, limit: perMinute });
      }
    },
  };
}

const POINT_BYTES = 64 * 1024;

/**
 * How many calls a request with a JSON body counts as: one more for every 64 KiB, because reading a large body takes
 * longer. A body of unknown length counts like the largest one.
 */
export function countBody({ headers, routeOptions }: FastifyRequest): number {
  const isUnknown = headers["content-length"] === undefined && headers["transfer-encoding"] !== undefined;
  const bytes = isUnknown ? routeOptions.bodyLimit : Number(headers["content-length"] ?? 0);
  return 1 + Math.floor(bytes / POINT_BYTES);
}

const plainIpv4 = /^(?:(?:[1-9]?\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

/**
 * Returns the key that identifies a client: its IPv4 address, or its IPv6 /64, because one household has a whole /64.
 */
export function clientKey(ip: string): string {
  // Plain IPv4 is the common case, and parsing an address costs more than the rest of the counting.
  if (plainIpv4.test(ip) || !ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const parts = (address as ipaddr.IPv6).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}

/**
 * Returns the network of a client's key: the IPv4 /24 or the IPv6 /48, which is the largest network that providers
 * commonly assign to one customer.
 */
export function findNetwork(key: string): string {
  return plainIpv4.test(key) ? key.split(".").slice(0, 3).join(".") : key.split(":").slice(0, 3).join(":");
}

/** The key for limits by address, or null for direct local requests to a loopback server, which are exempt. */
export function findLimitedClient(request: FastifyRequest, config: Config): string | null {
  const isLocal = isLoopback(new URL(config.baseUrl).hostname) && isLoopbackAddress(request.ip) && isDirect(request);
  return isLocal ? null : clientKey(request.ip);
}

function isLoopbackAddress(ip: string) {
  return isLoopback(ip.replace(/^::ffff:/, ""));
}
