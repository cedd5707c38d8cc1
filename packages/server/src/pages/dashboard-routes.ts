import { randomBytes } from "node:crypto";
import Type from "typebox";
import { AppError, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { createDistFiles } from "./dist-files.ts";
import { forEver, sendFile } from "./send-file.ts";

const config = { access: "public" as const };
const hidden = { hide: true };

/**
 * What the dashboard may load. Styles come from its files, and from the one element by which a dialog stops the page behind it from scrolling.
 * Images of products and documents come from wherever an account's tools say; the demo of an agent is shown in a frame.
 */
const policyWith = (nonce: string) =>
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

/** The dashboard: one page for all of its addresses, and the files that it loads. Which of them is shown is the browser's business. */
export function dashboardRoutes(app: App): void {
  const files = createDistFiles(new URL("../../../dashboard/dist/", import.meta.url));
  const show = { config, schema: hidden };
  for (const url of ["/dashboard", "/dashboard/*"]) {
    app.get(url, show, async (_, reply) => {
      const page = await files.text("index.html");
      if (!page)
        throw new AppError("NOT_FOUND", "The dashboard is not built on this server: run `npm run build` there.");
      const nonce = randomBytes(16).toString("base64");
      return reply
        .headers({ "content-security-policy": policyWith(nonce), "cache-control": "no-store" })
        .type("text/html; charset=utf-8")
        .send(page.replace("{{nonce}}", nonce));
    });
  }
  app.get(
    "/dashboard/assets/:file",
    { config, schema: { ...hidden, params: Type.Object({ file: Type.String() }) } },
    async (request, reply) => {
      const file = await files.find("assets/", request.params.file, request.headers["accept-encoding"]);
      if (!file) throw notFound("File");
      return sendFile(request, reply, file, forEver);
    },
  );
}
