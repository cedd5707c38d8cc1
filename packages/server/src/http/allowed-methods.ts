import type { FastifyInstance, RouteOptions } from "fastify";
import findMyWay, { type HTTPMethod, type Instance } from "find-my-way";

export type RouteTable = ReturnType<typeof createRouteTable>;

type Route = { method: HTTPMethod; url: string };

/** Collects the methods of each path, because Fastify has no API for this. */
export function createRouteTable() {
  const routes: Route[] = [];
  let built: ReturnType<typeof createRouter> | undefined;
  // Build the router on first use: only error responses and servers below a path need it, and adding every route takes
  // a tenth of the startup time.
  const router = () => {
    built ??= createRouter(routes);
    return built;
  };
  const has = (method: string, url: string) => router().table.find(method as HTTPMethod, stripQuery(url)) !== null;
  return {
    /** Collects the routes that are added to the app from now on. */
    collectFrom(app: FastifyInstance): void {
      app.addHook("onRoute", ({ method, url }: RouteOptions) => {
        for (const name of [method].flat() as HTTPMethod[]) {
          if (name !== "OPTIONS") routes.push({ method: name, url });
        }
      });
    },
    list: (): readonly Route[] => routes,
    /** Whether a route answers this request. */
    has,
    /** Returns the methods that the routes at this path support. */
    listMethods: (url: string): string[] => router().methods.filter((method) => has(method, url)),
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
