import Type from "typebox";
import { AppError, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { createDistFiles } from "./dist-files.ts";
import { sendFile } from "./send-file.ts";

const config = { access: "public" as const };
const hidden = { hide: true };

const guidePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The renderer of the API reference writes style elements and attributes. It loads nothing from other hosts. */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The documentation under /docs and the packages under /packages, created by `npm run build`. */
export function docsRoutes(app: App): void {
  const files = createDistFiles(new URL("../../dist/", import.meta.url));

  app.get("/docs", { config, schema: hidden }, async (_, reply) => {
    const page = await files.text("docs/reference.html");
    if (!page)
      throw new AppError("NOT_FOUND", "The documentation has not been built on this server. Run `npm run build`.");
    return reply
      .headers({ "content-security-policy": referencePolicy, "cache-control": "no-cache" })
      .type("text/html; charset=utf-8")
      .send(page);
  });

  app.get(
    "/docs/:page",
    { config, schema: { ...hidden, params: Type.Object({ page: Type.String() }) } },
    async (request, reply) => {
      const { page: name } = request.params;
      const page = /^[a-z]+$/.test(name) ? await files.text(`docs/${name}.html`) : undefined;
      if (!page) throw notFound("Page");
      return reply
        .headers({ "content-security-policy": guidePolicy, "cache-control": "no-cache" })
        .type("text/html; charset=utf-8")
        .send(page);
    },
  );

  for (const [address, folder] of [
    ["/docs/assets/:file", "docs/"],
    // npm installs from here: `npm install https://chat.example.com/packages/foyer-sdk.tgz`.
    ["/packages/:file", "packages/"],
  ] as const) {
    app.get(
      address,
      { config, schema: { ...hidden, params: Type.Object({ file: Type.String() }) } },
      async (request, reply) => {
        const file = await files.find(folder, request.params.file, request.headers["accept-encoding"]);
        if (!file) throw notFound("File");
        return sendFile(request, reply, file, "no-cache");
      },
    );
  }
}
