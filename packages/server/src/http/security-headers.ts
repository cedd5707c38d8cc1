import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";

/** API responses are never rendered as documents. Pages (pages/, `/docs`) set their own policy. */
const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'";

/** Sets the headers of every response: its id and the security headers. */
export function registerSecurityHeaders(app: FastifyInstance, { baseUrl }: Pick<Config, "baseUrl">): void {
  const headers = {
    "content-security-policy": contentSecurityPolicy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(baseUrl.startsWith("https:") ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
  app.addHook("onRequest", (request, reply, done) => {
    const { access = "account", crossOrigin = false } = request.routeOptions.config;
    reply.headers(headers).headers({
      "x-request-id": request.id,
      "cross-origin-resource-policy": crossOrigin ? "cross-origin" : "same-origin",
    });
    // Responses for members contain secrets and visitors' data, so browsers and proxies must not store them.
    if (access !== "public") reply.header("cache-control", "no-store");
    done();
  });
}
