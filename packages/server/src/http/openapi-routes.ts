import type { RouteOptions } from "fastify";
import type { App } from "./app.ts";

/**
 * Registers `/openapi.json`, which the pages under /docs render. Call this before other routes are registered, because
 * it collects routes as they are added. The descriptions are loaded with the first request, because most servers never
 * receive one.
 */
export function openApiRoutes(app: App, baseUrl: string): void {
  const routes: RouteOptions[] = [];
  let documentText: Promise<string> | undefined;
  app.addHook("onRoute", (route) => {
    if (route.method !== "HEAD") routes.push(route);
  });
  app.get("/openapi.json", { config: { access: "public" }, schema: { hide: true } }, async (_, reply) => {
    // Build the document once: it is about 500 KB and does not change while the server runs.
    documentText ??= generateDocument(routes, baseUrl).catch((error: unknown) => {
      // Let the next request try again, because loading the modules can fail while the process has no free file
      // descriptors.
      documentText = undefined;
      throw error;
    });
    return reply.type("application/json; charset=utf-8").send(await documentText);
  });
}

async function generateDocument(routes: readonly RouteOptions[], baseUrl: string): Promise<string> {
  const { generateOpenApi } = await import("./openapi.ts");
  return JSON.stringify(await generateOpenApi(routes, baseUrl));
}
