import type { FastifyContextConfig, FastifyInstance, RouteOptions } from "fastify";
import findMyWay, { type HTTPMethod } from "find-my-way";

export type RouteTable = {
  /** The methods that some route at this address takes. */
  methodsOf(url: string): string[];
  /** What the route at this address declares, or undefined when there is none. */
  configOf(method: string, url: string): FastifyContextConfig | undefined;
};

/** A second index of the routes, for what Fastify does not tell: which other methods an address takes. */
export function collectRoutes(app: FastifyInstance): RouteTable {
  const router = findMyWay();
  const known = new Set<HTTPMethod>();
  app.addHook("onRoute", (route: RouteOptions) => {
    for (const method of [route.method].flat() as HTTPMethod[]) {
      if (method === "OPTIONS" || router.hasRoute(method, route.url)) continue;
      known.add(method);
      router.on(method, route.url, () => {}, route.config ?? {});
    }
  });
  return {
    methodsOf: (url) => [...known].filter((method) => router.find(method, pathOf(url)) !== null),
    configOf: (method, url) => router.find(method as HTTPMethod, pathOf(url))?.store,
  };
}

const pathOf = (url: string) => url.split("?", 1)[0] ?? "/";
