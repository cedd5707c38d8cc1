import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Starts a site on its own origin that uses the widget of the server at `baseUrl` under a strict policy: it allows no
 * styles except its own file, and no scripts and calls except its own and the server's. Every path except `/healthz` is
 * a page.
 */
export async function startHostPage(baseUrl: string) {
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${baseUrl}`,
    "style-src 'none'",
    `connect-src ${baseUrl}`,
    `img-src https: data: ${baseUrl}`,
    "base-uri 'none'",
  ].join("; ");
  const scripts = new Map<string, string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://host.test");
    if (url.pathname === "/healthz") {
      response.writeHead(200, { "content-type": "text/plain" }).end("ok");
      return;
    }
    const script = scripts.get(url.pathname);
    if (script !== undefined) {
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
      return;
    }
    const attributes = [...url.searchParams].map(([name, value]) => ` ${name}="${escapeHtml(value)}"`).join("");
    const tag = `<script src="${baseUrl}/widget.js"${attributes} async></script>`;
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
      .end(
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Harbour Bikes</title><script src="/before.js"></script>${tag}${url.pathname === "/twice" ? tag : ""}</head><body><main><h1>Harbour Bikes</h1><p>City bikes, touring bikes and repairs, opposite the ferry.</p><p><a href="/bikes/city-one${escapeHtml(url.search)}">The City One</a></p></main></body></html>`,
      );
  });
  scripts.set("/before.js", "");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A different host name, so that the page is also a different site.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    /** The URL of a page whose script tag has these attributes. */
    page: (path: string, attributes: Record<string, string>) => `${origin}${path}?${new URLSearchParams(attributes)}`,
    /** A script that runs in every page before the widget. */
    before(script: string) {
      scripts.set("/before.js", script);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
