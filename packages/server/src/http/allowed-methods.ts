import type { FastifyInstance, RouteOptions } from "fastify";
import findMyWay, { type HTTPMethod, type Instance } from "find-my-way";

export type RouteTable = {
  /** Returns the methods that the routes at this path support. */
  listMethods(url: string): string[];
};

type Route = { method: HTTPMethod; url: string };

/** Collects the methods of each path, because Fastify has no API for this. */
export function collectRoutes(app: FastifyInstance): RouteTable {
  const routes: Route[] = [];
  app.addHook("onRoute", ({ method, url }: RouteOptions) => {
    for (const name of [method].flat() as HTTPMethod[]) {
      if (name !== "OPTIONS") routes.push({ method: name, url });
    }
  });
  let router: ReturnType<typeof createRouter> | undefined;
  return {
    listMethods(url) {
      // Build the router on first use: only error responses need it, and adding every route takes a tenth of the
      // startup time.
      router ??= createRouter(routes);
      const { methods, table } = router;
      return methods.filter((method) => table.find(method, stripQuery(url)) !== null);
    },
  };
}

function createRouter(routes: Route[]): { methods: HTTPMethod[]; table: Instance<never> } {
  const table = findMyWay({ ignoreTrailingSlash: true });
  for (const { method, url } of routes) {
    if (!table.hasRoute(method, url)) table.on(method, url, () => {});
  }
  return { methods: [...new Set(routes.map(({ method }) => method))], table };
}

const stripQuery = (url: string) => url.split("?", 1)[0] ?? "/";
