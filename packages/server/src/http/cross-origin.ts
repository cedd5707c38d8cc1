import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import type { RouteTable } from "./route-table.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** answers browsers on other origins, never with credentials */
    crossOrigin?: boolean;
  }
}

/** Routes marked `crossOrigin` answer every origin (an agent's own list is checked by the route); the others none. */
export async function useCrossOrigin(app: FastifyInstance, routes: RouteTable): Promise<void> {
  // The preflights' own route: what is not one there is answered like any address without such a method.
  app.addHook("onRoute", (route) => {
    if (route.method === "OPTIONS") route.config = { ...route.config, access: "public" };
  });
  await app.register(cors, {
    delegator: (request, done) => {
      const method = request.headers["access-control-request-method"] ?? request.method;
      const isOpen = routes.configOf(method, request.url)?.crossOrigin === true;
      done(null, isOpen ? open : closed);
    },
  });
}

const open = {
  origin: "*",
  methods: ["GET", "POST"],
  allowedHeaders: ["authorization", "content-type", "last-event-id", "idempotency-key"],
  exposedHeaders: ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "x-request-id"],
  maxAge: 7_200,
  strictPreflight: false,
};

const closed = { origin: false };
