import type { FastifyInstance, FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { isLoopback } from "../loopback.ts";

/** Headers by which a proxy tells on whose behalf it asks. Browsers and API clients do not send them. */
const forwardingHeaders = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
  "x-client-ip",
  "x-original-host",
  "true-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
];

/** True for a request that came through a proxy which says so. */
export function isForwarded(headers: FastifyRequest["headers"]): boolean {
  return forwardingHeaders.some((name) => headers[name] !== undefined);
}

/**
 * True for a request that a program on this machine sent by itself: to a loopback name, and not through a proxy. A proxy on
 * this machine makes every visitor's socket local, so the socket's address proves nothing.
 */
export function isDirect({ headers }: Pick<FastifyRequest, "headers">): boolean {
  const host = URL.parse(`http://${headers.host ?? ""}`)?.hostname ?? "";
  return isLoopback(host) && !isForwarded(headers);
}

/**
 * Reduces `X-Forwarded-For` to plain addresses. Some proxies add the client's port, which would make every connection
 * another client, or write IPv6 in brackets. Entries that are no address are dropped, so the proxy itself counts.
 */
export function normalizeForwardedFor(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _, done) => {
    const header = raw.headers["x-forwarded-for"];
    if (header !== undefined) {
      const entries = String(header).split(",").map(toAddress);
      raw.headers["x-forwarded-for"] = entries.filter((entry) => entry !== null).join(", ");
    }
    done();
  });
}

/** `203.0.113.9:4711` and `[2001:db8::1]:4711` without their ports; null for what is no address. */
function toAddress(entry: string): string | null {
  const text = entry.trim();
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return ipaddr.isValid(address) ? address : null;
}
