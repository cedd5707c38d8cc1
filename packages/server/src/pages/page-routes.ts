import type { FastifyReply } from "fastify";
import Type from "typebox";
import type { AgentService } from "../agents/service.ts";
import type { Config } from "../config.ts";
import type { AgentRow } from "../db/tables.ts";
import { AppError, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { linkRoutes } from "./link-routes.ts";
import { createPageFiles } from "./page-files.ts";

/** The Content-Security-Policy of the pages. `images` lists additional image sources. */
const createPolicy = (images: readonly string[] = []) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    ["img-src 'self' data:", ...images].join(" "),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join("; ");

const open = { config: { access: "public" as const } };
const hidden = { hide: true };

/** The demo page of an agent, the page for a conversation continued from an email, the preview of its widget, and the files that they load. */
export function pageRoutes(app: App, config: Pick<Config, "baseUrl" | "basePath">, agents: AgentService): void {
  const files = createPageFiles(config);
  linkRoutes(app, config, files);
  const show = async (
    reply: FastifyReply,
    name: string,
    {
      status,
      values = {},
      images,
    }: { status: number; values?: Record<string, string> | undefined; images?: string[] | undefined },
  ) =>
    reply
      .status(status)
      .headers({ "content-security-policy": createPolicy(images), "cache-control": "no-store" })
      .type("text/html; charset=utf-8")
      .send(await files.page(name, values));

  for (const [url, page] of [
    ["/demo/:agentId", "demo.html"],
    // Emailed answers lead here when the page on which the conversation began is not known to show the chat.
    ["/conversation/:agentId", "conversation.html"],
    // The dashboard shows this page in a frame and sends it the unsaved settings.
    ["/preview/:agentId", "preview.html"],
  ] as const) {
    app.get(
      url,
      { ...open, schema: { ...hidden, params: Type.Object({ agentId: Type.String() }) } },
      async (request, reply) => {
        const agent = await agents.getPublic(request.params.agentId).catch(nullWhenMissing);
        if (!agent) return show(reply, "demo-missing.html", { status: 404 });
        return show(reply, page, {
          status: 200,
          values: createPageValues(agent, config.baseUrl),
          images: listImageSources(agent),
        });
      },
    );
  }
  app.get(
    "/pages/:file",
    { ...open, schema: { ...hidden, params: Type.Object({ file: Type.String() }) } },
    async (request, reply) => {
      const file = await files.asset(request.params.file);
      if (!file) throw notFound("File");
      reply.headers({ "cache-control": "no-cache", etag: file.etag });
      if (request.headers["if-none-match"] === file.etag) return reply.status(304).send();
      return reply.type(file.type).send(file.text);
    },
  );
}

function nullWhenMissing(error: unknown) {
  if (error instanceof AppError && error.code === "NOT_FOUND") return null;
  throw error;
}

/** The values of the demo page's template. Every visitor sees them anyway. */
function createPageValues({ id, name }: Pick<AgentRow, "id" | "name">, baseUrl: string): Record<string, string> {
  return { id, name, baseUrl };
}

/** The image hosts of the demo page: those the agent allows or, like in its displays, every host when it names none. */
function listImageSources({ allowedImageHosts }: Pick<AgentRow, "allowedImageHosts">): string[] {
  const stored: string[] = JSON.parse(allowedImageHosts);
  // Earlier versions accepted hosts that would add directives to the policy, so filter the stored hosts.
  const hosts = stored.filter((host) => /^[a-z0-9.-]+(:\d+)?$/.test(host));
  return stored.length > 0 ? hosts.map((host) => `https://${host}`) : ["https:"];
}
