import type { FastifyReply } from "fastify";
import Type from "typebox";
import type { Config } from "../config.ts";
import { AppError, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { placeBelow } from "../http/base-path.ts";
import { createDistFiles } from "./dist-files.ts";
import { sendFile } from "./send-file.ts";

const config = { access: "public" as const };
const hidden = { hide: true };

const guidePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
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
export function docsRoutes(app: App, { basePath }: Pick<Config, "basePath">): void {
  const files = createDistFiles(new URL("../../dist/", import.meta.url));

  const sendPage = async (reply: FastifyReply, name: string) => {
    const page = /^[a-z]+$/.test(name) ? await files.text(`docs/${name}.html`) : undefined;
    if (!page) return false;
    const policy = name === "api" ? referencePolicy : guidePolicy;
    // Not returned: an async function would wait for the reply, and resolve with nothing.
    void reply
      .headers({ "content-security-policy": policy, "cache-control": "no-cache" })
      .type("text/html; charset=utf-8")
      .send(placeBelow(page, basePath));
    return true;
  };

  app.get("/docs", { config, schema: hidden }, async (_, reply) => {
    if (await sendPage(reply, "start")) return reply;
    throw new AppError("NOT_FOUND", "The documentation has not been built on this server. Run `npm run build`.");
  });

  app.get(
    "/docs/:page",
    { config, schema: { ...hidden, params: Type.Object({ page: Type.String() }) } },
    async (request, reply) => {
      if (await sendPage(reply, request.params.page)) return reply;
      throw notFound("Page");
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
        return sendFile(reply, file, "no-cache");
      },
    );
  }
}
