import type { FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { AppError, invalid } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";

type HasBaseUrl = Pick<Config, "baseUrl">;

/**
 * @throws 403 for a browser's request from a page of another origin. All current browsers send at least one of the two
 * headers.
 */
export function requireSameOrigin(request: Pick<FastifyRequest, "headers">, config: HasBaseUrl): void {
  if (!isSameOrigin(request, config)) throw crossOriginError();
}

/** Returns false for a browser's request from a page of another origin. */
export function isSameOrigin({ headers }: Pick<FastifyRequest, "headers">, config: HasBaseUrl): boolean {
  const site = headers["sec-fetch-site"];
  const { origin } = headers;
  return (site === undefined || site === "same-origin") && (origin === undefined || isOwnOrigin(origin, config));
}

/**
 * The URL at BASE_URL to redirect to after signing in. @throws 400 for anything that a browser could resolve to another
 * origin
 */
export function toLandingAddress(value: string | null | undefined, config: HasBaseUrl): string {
  const { origin, pathname } = new URL(config.baseUrl);
  const basePath = pathname.replace(/\/$/, "");
  const text = value ?? "/dashboard";
  // Browsers read `\` as `/`, drop tabs and line breaks, and accept `https:evil` as a URL.
  const isPlain = /^[\x21-\x5b\x5d-\x7e]+$/.test(text) && /^(?:\/(?!\/)|https?:\/\/)/i.test(text);
  const url = isPlain ? URL.parse(text, origin) : null;
  if (!url || url.username || url.password || !isOwnOrigin(url.origin, config)) {
    throw invalid("callbackUrl", `must be a path such as /dashboard, or a URL at ${config.baseUrl}`, "format");
  }
  // Paths may be those of a server at the root of its host. Nothing outside of the path of BASE_URL is reached.
  const path = `${url.pathname}/`.startsWith(`${basePath}/`) ? url.pathname : basePath + url.pathname;
  return origin + path + url.search + url.hash;
}

/** Whether this is BASE_URL's origin. On a loopback address, all loopback names of the same port count. */
export function isOwnOrigin(origin: string, { baseUrl }: HasBaseUrl): boolean {
  const base = new URL(baseUrl);
  if (origin === base.origin) return true;
  const url = URL.parse(origin);
  if (!url || url.origin !== origin || !isLoopback(base.hostname)) return false;
  return url.protocol === base.protocol && url.port === base.port && isLoopback(url.hostname);
}

function crossOriginError() {
  return new AppError(
    "FORBIDDEN",
    "Cookies are accepted only from pages of this server. Use an API key from anywhere else.",
  );
}
