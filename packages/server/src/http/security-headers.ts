import type { FastifyContextConfig, FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { crossOriginHeaders } from "./cors.ts";

/**
 * The policy for API responses, which are never rendered as documents. Pages (pages/, `/docs`) set their own policy.
 */
const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'";

/**
 * Sets the headers of every response: the request id, the security headers and the CORS headers. It must run before
 * authentication, so that a page can read why its request was rejected.
 */
export function registerSecurityHeaders(
  app: FastifyInstance,
  { baseUrl, basePath }: Pick<Config, "baseUrl" | "basePath">,
): void {
  const common = {
    "content-security-policy": contentSecurityPolicy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    // Below a path, the host belongs to another site, which decides this for all of its pages.
    ...(baseUrl.startsWith("https:") && basePath === ""
      ? { "strict-transport-security": "max-age=31536000; includeSubDomains" }
      : {}),
  };
  const createHeaders = ({
    access = "account",
    crossOrigin = false,
  }: FastifyContextConfig): Record<string, string> => ({
    ...common,
    "cross-origin-resource-policy": crossOrigin ? "cross-origin" : "same-origin",
    // Responses for members contain secrets and visitors' data, so browsers and proxies must not store them.
    ...(access === "public" ? {} : { "cache-control": "no-store" }),
    ...(crossOrigin ? crossOriginHeaders : {}),
  });
  /**
   * The headers by route configuration. They never change, and all requests to a route share one configuration object.
   */
  const headersByConfig = new WeakMap<FastifyContextConfig, Record<string, string>>();
  app.addHook("onRequest", (request, reply, done) => {
    const { config } = request.routeOptions;
    const headers = headersByConfig.get(config) ?? createHeaders(config);
    headersByConfig.set(config, headers);
    reply.headers(headers).header("x-request-id", request.id);
    done();
  });
}
