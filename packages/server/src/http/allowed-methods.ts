import type { FastifyInstance, RouteOptions } from "fastify";
import findMyWay, { type HTTPMethod } from "find-my-way";

export type RouteTable = {
  /** The methods that the routes at this path support. */
  methodsOf(url: string): string[];
};

/** Collects the methods of each path, because Fastify does not expose them. */
export function collectRoutes(app: FastifyInstance): RouteTable {
  const router = findMyWay({ ignoreTrailingSlash: true });
  const registered = new Set<HTTPMethod>();
  app.addHook("onRoute", (route: RouteOptions) => {
    for (const method of [route.method].flat() as HTTPMethod[]) {
      if (method === "OPTIONS" || router.hasRoute(method, route.url)) continue;
      registered.add(method);
      router.on(method, route.url, () => {});
    }
  });
  return {
    methodsOf: (url) => [...registered].filter((method) => router.find(method, pathOf(url)) !== null),
  };
}

const pathOf = (url: string) => url.split("?", 1)[0] ?? "/";
