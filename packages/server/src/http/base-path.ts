import type { FastifyServerOptions } from "fastify";
import { ConfigError } from "../config-values.ts";
import type { RouteTable } from "./allowed-methods.ts";

type RewriteUrl = NonNullable<FastifyServerOptions["rewriteUrl"]>;

/**
 * Returns a function that removes the path of BASE_URL from request URLs. A reverse proxy may have removed it already,
 * so with the path `/chat`, the URL `/chat` can be the start page or the endpoint of that name. The path is kept only
 * if the request fits no endpoint without it.
 */
export function createUrlRewriter(basePath: string, routes: RouteTable): RewriteUrl {
  return ({ url = "/", method = "GET", headers }) => {
    if (!isBelow(url, basePath)) return url;
    const rest = removeBasePath(url, basePath);
    // A preflight request is about the method that the browser will use.
    const intended = (method === "OPTIONS" && headers["access-control-request-method"]) || method;
    return routes.has(intended, url) && !routes.has(intended, rest) ? url : rest;
  };
}

/**
 * @throws a ConfigError when requests with and without the path fit different endpoints, so that it is unknown whether
 * a proxy has removed the path
 */
export function refuseAmbiguousPath(basePath: string, routes: RouteTable): void {
  const isAmbiguous = routes.list().some(({ method, url }) => {
    if (!isBelow(url, basePath)) return false;
    return url.endsWith("*") || routes.has(method, removeBasePath(url, basePath));
  });
  if (!isAmbiguous) return;
  throw new ConfigError(
    `BASE_URL: the path ${basePath} is also the path of a page or endpoint of this server. Use another one, such as /support.`,
  );
}

const isBelow = (url: string, basePath: string) =>
  url.startsWith(basePath) && ["", "/", "?"].includes(url.charAt(basePath.length));

function removeBasePath(url: string, basePath: string): string {
  const rest = url.slice(basePath.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Places the addresses in a page, which are written for a server at the root of its host, below the path of BASE_URL. */
export function placeBelow(html: string, basePath: string): string {
  return basePath === "" ? html : html.replace(/(?<= (?:href|src|action)=")\/(?!\/)/g, `${basePath}/`);
}
