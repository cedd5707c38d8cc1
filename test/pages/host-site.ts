import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

/** The site of a host page: what it has at a path, or the server of a framework. A path without extension is HTML. */
export type Site = { find: (path: string) => string | Buffer | undefined } | { origin: string };

/** Where the pages load the widget from, in place of the two words in their sources. */
type Embed = { scriptOrigin: string; agentId: string };

/** The sources of pages contain these. The site replaces them in each response, because pages are built only once. */
const SCRIPT_ORIGIN = "http://foyer.invalid";
const AGENT_ID = "agent_of_this_page";

/** The tag that sites copy from the dashboard. */
export const scriptTag = `<script src="${SCRIPT_ORIGIN}/widget.js" data-agent-id="${AGENT_ID}" async></script>`;

const libraries = join(import.meta.dirname, "node_modules");

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
};

/** Serves a site at an origin of its own. Packages of the pages are served at `/lib/`. */
export async function startSite(site: Site, embed: Embed) {
  const embedIn = (text: string) =>
    text.replaceAll(SCRIPT_ORIGIN, embed.scriptOrigin).replaceAll(AGENT_ID, embed.agentId);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://site.test");
    const send = (type: string, body: string | Buffer) =>
      response
        .writeHead(200, { "content-type": type })
        .end(/html|javascript|json/.test(type) ? embedIn(String(body)) : body);
    if (pathname === "/favicon.ico") {
      send("image/x-icon", "");
      return;
    }
    if (pathname.startsWith("/lib/")) {
      const file = readIfFile(join(libraries, pathname.slice("/lib/".length)));
      if (file) send(types[extname(pathname)] ?? "text/plain", file);
      else response.writeHead(404).end();
      return;
    }
    if ("origin" in site) {
      await forward(site.origin, request, response, embedIn);
      return;
    }
    const body = site.find(pathname);
    if (body === undefined) response.writeHead(404).end();
    else send(types[extname(pathname)] ?? "text/html; charset=utf-8", body);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error) => response.writeHead(502).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // A different host name than the one of the script, so that the page is also a different site.
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * The files that a build wrote. A path without extension is the file of the same name, or else the page that the
 * browser renders.
 */
export function folderSite(folder: string, page?: string): Site {
  const names = (path: string) => (extname(path) === "" ? [`${path}.html`, `${path}/index.html`] : [path]);
  return {
    find(path) {
      const own = names(path)
        .map((name) => readIfFile(join(folder, name)))
        .find((file) => file !== undefined);
      return own ?? (extname(path) === "" ? (page ?? readIfFile(join(folder, "index.html"))) : undefined);
    },
  };
}

function readIfFile(path: string): Buffer | undefined {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined;
}

/** Passes a request on to a framework's server. */
async function forward(
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
  embedIn: (text: string) => string,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (!/^(host|connection|accept-encoding|content-length)$/.test(name)) headers.set(name, String(value));
  }
  const { method = "GET" } = request;
  const answer = await fetch(new URL(request.url ?? "/", origin), {
    method,
    headers,
    redirect: "manual",
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
  });
  const kept = [...answer.headers].filter(
    ([name]) => !/^(connection|content-(encoding|length)|etag|transfer-encoding)$/.test(name),
  );
  const body = Buffer.from(await answer.arrayBuffer());
  const isText = /html|javascript|json|text/.test(answer.headers.get("content-type") ?? "");
  response.writeHead(answer.status, Object.fromEntries(kept)).end(isText ? embedIn(body.toString("utf8")) : body);
}
