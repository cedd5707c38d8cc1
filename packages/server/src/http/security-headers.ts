import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";

/** Nothing that we send is a page by itself; those that are (pages/, `/docs`) say what they may load. */
const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'";

/** The headers of every response: its id, and what keeps a browser from making more of it than it is. */
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
    // Answers for members hold secrets and visitors' data: no browser and no proxy keeps a copy.
    if (access !== "public") reply.header("cache-control", "no-store");
    done();
  });
}
