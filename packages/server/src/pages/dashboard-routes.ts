import { randomBytes } from "node:crypto";
import Type from "typebox";
import type { Config } from "../config.ts";
import { AppError, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { placeBelow } from "../http/base-path.ts";
import { createDistFiles } from "./dist-files.ts";
import { createPageFiles } from "./page-files.ts";
import { immutableCaching, sendFile } from "./send-file.ts";

const access = { access: "public" as const };
const hidden = { hide: true };

/**
 * The Content-Security-Policy of the dashboard. Styles come from its files and from the one style element that stops
 * the page from scrolling behind a dialog. Images come from any https host, because tools define them. The agent's demo
 * page is shown in a frame.
 */
const createPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob: https:",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The dashboard: one page for all of its URLs, and the files that it loads. The browser does the routing. */
export function dashboardRoutes(app: App, config: Pick<Config, "basePath">): void {
  const { basePath } = config;
  const pageFiles = createPageFiles(config);
  const files = createDistFiles(new URL("../../../dashboard/dist/", import.meta.url));
  const show = { config: access, schema: hidden };
  for (const url of ["/dashboard", "/dashboard/*"]) {
    app.get(url, show, async (_, reply) => {
      const page = await files.text("index.html");
      if (!page)
        throw new AppError("NOT_FOUND", "The dashboard has not been built on this server. Run `npm run build`.");
      const nonce = randomBytes(16).toString("base64");
      return reply
        .headers({ "content-security-policy": createPolicy(nonce), "cache-control": "no-store" })
        .type("text/html; charset=utf-8")
        .send(placeBelow(page, basePath).replace("{{nonce}}", nonce).replace("{{basePath}}", basePath));
    });
  }
  // Browsers accept a service worker for the dashboard only from below /dashboard/.
  app.get("/dashboard/push-worker.js", show, async (_, reply) => {
    const file = await pageFiles.asset("push-worker.js");
    if (!file) throw notFound("File");
    return reply.headers({ "cache-control": "no-cache", etag: file.etag }).type(file.type).send(file.text);
  });
  app.get(
    "/dashboard/assets/:file",
    { config: access, schema: { ...hidden, params: Type.Object({ file: Type.String() }) } },
    async (request, reply) => {
      const file = await files.find("assets/", request.params.file, request.headers["accept-encoding"]);
      if (!file) throw notFound("File");
      return sendFile(reply, file, immutableCaching);
    },
  );
}
