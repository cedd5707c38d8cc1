import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyRequest, RouteOptions } from "fastify";
import type { App } from "./app.ts";
import { chooseEncoding, type Encoding } from "./choose-encoding.ts";
import { createEntityTag, matchesEtag } from "./etag.ts";

/**
 * Registers `/openapi.json`, which the pages under /docs render. Call this before other routes are registered, because
 * it collects routes as they are added. The descriptions are loaded with the first request, because most servers never
 * receive one.
 * @param options.admit throws when the client has requested the document too often
 */
export function openApiRoutes(
  app: App,
  { baseUrl, admit }: { baseUrl: string; admit: (request: FastifyRequest) => Promise<void> },
): void {
  const routes: RouteOptions[] = [];
  let generated: Promise<GeneratedDocument> | undefined;
  app.addHook("onRoute", (route) => {
    if (route.method !== "HEAD") routes.push(route);
  });
  app.get(
    "/openapi.json",
    {
      config: { access: "public" },
      schema: { hide: true },
      onRequest: admit,
    },
    async (request, reply) => {
      // Build the document once: it is about 500 KB and does not change while the server runs.
      generated ??= generateDocument(routes, baseUrl).catch((error: unknown) => {
        // Let the next request try again, because loading the modules can fail while the process has no free file
        // descriptors.
        generated = undefined;
        throw error;
      });
      const { etag, bodies } = await generated;
      reply.headers({ etag, "cache-control": "no-cache", vary: "accept-encoding" });
      if (matchesEtag(request.headers["if-none-match"], etag)) return reply.status(304).send();
      const encoding = chooseEncoding(request.headers["accept-encoding"]);
      if (encoding !== null) reply.header("content-encoding", encoding);
      return reply.type("application/json; charset=utf-8").send(bodies[encoding ?? "none"]);
    },
  );
}

type GeneratedDocument = { etag: string; bodies: Record<Encoding | "none", Buffer> };

async function generateDocument(routes: readonly RouteOptions[], baseUrl: string): Promise<GeneratedDocument> {
  const { generateOpenApi } = await import("./openapi.ts");
  const none = Buffer.from(JSON.stringify(await generateOpenApi(routes, baseUrl)));
  const [br, gz] = await Promise.all([
    // The highest quality takes a second of CPU for 3 % fewer bytes.
    promisify(brotliCompress)(none, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(none),
  ]);
  return { etag: createEntityTag(none), bodies: { br, gzip: gz, none } };
}
