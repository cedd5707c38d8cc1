import Type from "typebox";
import { AppError, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { createDistFiles } from "./dist-files.ts";
import { forEver, sendFile } from "./send-file.ts";

const config = { access: "public" as const, crossOrigin: true };
const hidden = { hide: true };

/** The loader is asked for again after this long, so that a new version is everywhere soon. */
const LOADER_SECONDS = 300;

/** The widget for the pages of any site: `widget.js`, and the parts that it loads. */
export function widgetRoutes(app: App): void {
  const files = createDistFiles(new URL("../../../widget/dist/", import.meta.url));

  app.get("/widget.js", { config, schema: hidden }, async (request, reply) => {
    const file = await files.find("", "widget.js", request.headers["accept-encoding"]);
    if (!file) throw new AppError("NOT_FOUND", "The widget is not built on this server: run `npm run build` there.");
    return sendFile(request, reply, file, `public, max-age=${LOADER_SECONDS}, stale-while-revalidate=86400`);
  });
  app.get(
    "/widget/:file",
    { config, schema: { ...hidden, params: Type.Object({ file: Type.String() }) } },
    async (request, reply) => {
      const { file: name } = request.params;
      // Pages that stayed open over a new version ask for whatever part is current.
      const current = /^(panel|triggers|acting|debug|mount-form)\.js$/.exec(name)?.[1];
      const built = current ? JSON.parse((await files.text("build.json")) ?? "{}").partFiles?.[current] : name;
      const file = await files.find("widget/", String(built), request.headers["accept-encoding"]);
      if (!file) throw notFound("File");
      return sendFile(request, reply, file, current ? "no-cache" : forEver);
    },
  );
}
