import type { FastifyInstance, RouteOptions } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** the part of the request in which the route's schema has `agentId` */
    agentIdIn?: "query" | "body";
  }
}

/**
 * Accepts the `agentId` of a request with a body in its query or in its body, wherever the route's schema has it. If it
 * is in both, the schema's place counts.
 */
export function registerAgentIdPlaces(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const place = findAgentIdPlace(route);
    if (place) route.config = { ...route.config, agentIdIn: place };
  });
  app.addHook("preValidation", (request, _, done) => {
    const { agentIdIn } = request.routeOptions.config;
    if (agentIdIn === undefined) return done();
    const { query, body } = request;
    const [target, source] = agentIdIn === "query" ? [query, body] : [body, query];
    if (isRecord(target) && isRecord(source) && target.agentId === undefined && typeof source.agentId === "string") {
      target.agentId = source.agentId;
    }
    done();
  });
}

function findAgentIdPlace({ method, schema }: RouteOptions): "query" | "body" | null {
  if (method === "GET" || method === "HEAD" || !schema) return null;
  if (hasAgentId(schema.querystring)) return "query";
  return hasAgentId(schema.body) ? "body" : null;
}

function hasAgentId(schema: unknown): boolean {
  return isRecord(schema) && isRecord(schema.properties) && Object.hasOwn(schema.properties, "agentId");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
}
