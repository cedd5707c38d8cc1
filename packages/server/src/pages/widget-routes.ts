import Type from "typebox";
import { AppError, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { createDistFiles } from "./dist-files.ts";
import { immutableCaching, sendFile } from "./send-file.ts";

const config = { access: "public" as const, crossOrigin: true };
const hidden = { hide: true };

/** How long the loader is cached, in seconds. The time is short, so that a new version soon reaches all pages. */
const LOADER_SECONDS = 300;

/** The widget: `widget.js` and the chunks that it loads. */
export function widgetRoutes(app: App): void {
  const files = createDistFiles(new URL("../../../widget/dist/", import.meta.url));

  app.get("/widget.js", { config, schema: hidden }, async (request, reply) => {
    const file = await files.find("", "widget.js", request.headers["accept-encoding"]);
    if (!file) throw new AppError("NOT_FOUND", "The widget has not been built on this server. Run `npm run build`.");
    return sendFile(reply, file, `public, max-age=${LOADER_SECONDS}, stale-while-revalidate=86400`);
  });
  app.get(
    "/widget/:file",
    { config, schema: { ...hidden, params: Type.Object({ file: Type.String() }) } },
    async (request, reply) => {
      const { file: name } = request.params;
      // Pages that stayed open during an upgrade request the current chunk by its plain name.
      const plain = /^([a-z-]+)\.js$/.exec(name)?.[1];
      const current = plain && JSON.parse((await files.text("build.json")) ?? "{}").partFiles?.[plain];
      const file = await files.find("widget/", current ? String(current) : name, request.headers["accept-encoding"]);
      if (!file) throw notFound("File");
      return sendFile(reply, file, current ? "no-cache" : immutableCaching);
    },
  );
}
