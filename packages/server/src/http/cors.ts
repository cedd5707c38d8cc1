import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** whether pages on other origins may call the route, always without cookies */
    crossOrigin?: boolean;
  }
}

/**
 * Registers preflights for routes marked `crossOrigin`. These routes allow every origin, and check the agent's list of
 * origins themselves. Other routes allow no other origin. `registerSecurityHeaders` sends the headers. The CORS plugin
 * is not used because it looks up the route a second time for each request.
 */
export function registerCors(app: FastifyInstance): void {
  const methods = new Map<string, string[]>();
  app.addHook("onRoute", ({ method, url, config }) => {
    if (!config?.crossOrigin || method === "OPTIONS" || method === "HEAD") return;
    const existing = methods.get(url);
    methods.set(url, [...(existing ?? []), String(method)]);
    if (!existing) addPreflight(app, url, methods);
  });
}

/** The headers of every response of a route that is marked `crossOrigin`, including errors. */
export const crossOriginHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, x-request-id, idempotent-replay",
};

const usedHeaders =
  "authorization, content-type, last-event-id, idempotency-key, x-filename, foyer-user-token, foyer-user-id, foyer-user-hash";

function addPreflight(app: FastifyInstance, url: string, methods: ReadonlyMap<string, string[]>) {
  app.options(url, { config: { access: "public" }, schema: { hide: true } }, (request, reply) => {
    const allowed = methods.get(url) ?? [];
    const requestedMethod = request.headers["access-control-request-method"];
    if (!requestedMethod || !allowed.includes(requestedMethod)) return reply.callNotFound();
    return reply
      .status(204)
      .headers({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": allowed.join(", "),
        // Tracing adds headers of its own to each request of a page. No credentials are involved, so all are allowed.
        "access-control-allow-headers": [usedHeaders, request.headers["access-control-request-headers"]]
          .filter(Boolean)
          .join(", "),
        vary: "access-control-request-headers",
        "access-control-max-age": 7_200,
      })
      .send();
  });
}
