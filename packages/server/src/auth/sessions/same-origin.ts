import type { FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { AppError, invalid } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";

type Addressed = Pick<Config, "baseUrl">;

/** 403 for a call that a browser makes for a page of another origin. Who sends neither header is no browser of today. */
export function requireSameOrigin(request: Pick<FastifyRequest, "headers">, config: Addressed): void {
  if (!isSameOrigin(request, config)) throw foreign();
}

/** False for a call that a browser makes for a page of another origin. */
export function isSameOrigin({ headers }: Pick<FastifyRequest, "headers">, config: Addressed): boolean {
  const site = headers["sec-fetch-site"];
  const { origin } = headers;
  return (site === undefined || site === "same-origin") && (origin === undefined || isOurs(origin, config));
}

/**
 * Where to go on after signing in: a path or an address of this server, as an address at BASE_URL.
 * @throws 400 for anything that a browser could take for another place
 */
export function landingAddress(value: string | null | undefined, config: Addressed): string {
  const base = new URL(config.baseUrl);
  const text = value ?? "/dashboard";
  // Browsers read `\` as `/`, drop tabs and line breaks, and take `https:evil` for an address.
  const isPlain = /^[\x21-\x5b\x5d-\x7e]+$/.test(text) && /^(?:\/(?!\/)|https?:\/\/)/i.test(text);
  const url = isPlain ? URL.parse(text, base) : null;
  if (!url || url.username || url.password || !isOurs(url.origin, config)) {
    throw invalid("callbackUrl", `must be a path such as /dashboard, or an address at ${base.origin}`, "format");
  }
  return base.origin + url.pathname + url.search + url.hash;
}

/** BASE_URL's origin; when that is this machine, under any of its names. */
export function isOurs(origin: string, { baseUrl }: Addressed): boolean {
  const base = new URL(baseUrl);
  if (origin === base.origin) return true;
  const url = URL.parse(origin);
  if (!url || url.origin !== origin || !isLoopback(base.hostname)) return false;
  return url.protocol === base.protocol && url.port === base.port && isLoopback(url.hostname);
}

function foreign() {
  return new AppError("FORBIDDEN", "Calls by cookie are for pages of this server. Use an API key from anywhere else.");
}
