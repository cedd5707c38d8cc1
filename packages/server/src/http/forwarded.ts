import type { FastifyInstance, FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { isLoopback } from "../loopback.ts";

/** Headers by which a proxy identifies the original client. Browsers and API clients do not send them. */
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

/** Returns true for a request with a forwarding header. */
export function isForwarded(headers: FastifyRequest["headers"]): boolean {
  return forwardingHeaders.some((name) => headers[name] !== undefined);
}

/**
 * Returns true for a request that a program on this machine sent directly: to a loopback name, and not through a proxy.
 * The socket's address proves nothing, because a proxy on this machine makes every visitor's socket local.
 */
export function isDirect({ headers }: Pick<FastifyRequest, "headers">): boolean {
  const host = URL.parse(`http://${headers.host ?? ""}`)?.hostname ?? "";
  return isLoopback(host) && !isForwarded(headers);
}

/**
 * Reduces `X-Forwarded-For` to plain addresses. Some proxies append the client's port, which would make every
 * connection a different client, or write IPv6 addresses in brackets. Invalid entries are dropped, so that the proxy
 * itself counts as the client.
 */
export function normalizeForwardedFor(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _, done) => {
    const header = raw.headers["x-forwarded-for"];
    if (header !== undefined) {
      const entries = String(header).split(",").map(parseAddress);
      raw.headers["x-forwarded-for"] = entries.filter((entry) => entry !== null).join(", ");
    }
    done();
  });
}

/**
 * Parses an entry, and removes the port of `203.0.113.9:4711` and `[2001:db8::1]:4711`. Returns null if it is not an
 * address.
 */
function parseAddress(entry: string): string | null {
  const text = entry.trim();
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return ipaddr.isValid(address) ? address : null;
}
