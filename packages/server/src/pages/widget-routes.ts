import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { App } from "../app.ts";
import { AppError, notFound } from "../errors.ts";
import { hasState } from "../http/if-none-match.ts";
import { createWidgetFiles, type WidgetFile } from "./widget-files.ts";

const config = { access: "public" as const, crossOrigin: true };
const hidden = { hide: true };

/** The loader is asked for again after this long, so that a new version is everywhere soon. */
const LOADER_SECONDS = 300;
const YEAR_SECONDS = 31_536_000;

/** The widget for the pages of any site: `widget.js`, and the parts that it loads. */
export function widgetRoutes(app: App): void {
  const files = createWidgetFiles();

  app.get("/widget.js", { config, schema: hidden }, async (request, reply) => {
    const file = await files.loader(request.headers["accept-encoding"]);
    if (!file) throw new AppError("NOT_FOUND", "The widget is not built on this server: run `npm run build` there.");
    return send(request, reply, file, `public, max-age=${LOADER_SECONDS}, stale-while-revalidate=86400`);
  });
  app.get(
    "/widget/:file",
    { config, schema: { ...hidden, params: Type.Object({ file: Type.String() }) } },
    async (request, reply) => {
      const name = request.params.file;
      const file = await files.part(name, request.headers["accept-encoding"]);
      if (!file) throw notFound("File");
      // Another content has another name, but for the one that names whatever is current.
      const caching = name === "panel.js" ? "no-cache" : `public, max-age=${YEAR_SECONDS}, immutable`;
      return send(request, reply, file, caching);
    },
  );
}

function send(request: FastifyRequest, reply: FastifyReply, file: WidgetFile, caching: string) {
  reply.headers({ etag: file.etag, "cache-control": caching, vary: "accept-encoding" });
  if (hasState(request.headers["if-none-match"], file.etag)) return reply.status(304).send();
  if (file.encoding) reply.header("content-encoding", file.encoding);
  return reply.type("text/javascript; charset=utf-8").send(file.body);
}
