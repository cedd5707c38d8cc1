import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Answer = string | { status?: number; headers?: Record<string, string>; body?: string | Buffer };
type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export type SiteServer = Awaited<ReturnType<typeof startSite>>;

/** An HTML page with links to others. */
export const page = (title: string, text: string, links: readonly string[] = []) =>
  `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p>${links
    .map((href) => `<p><a href="${href}">More</a></p>`)
    .join("")}</main></body></html>`;

/** A sitemap with these URLs. */
export const sitemap = (urls: readonly string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
    .map((url) => `<url><loc>${url}</loc></url>`)
    .join("")}</urlset>`;

/**
 * A website on a free port that tests can change while it runs. Unknown paths respond with 404. Responses have an ETag
 * unless they set their own headers.
 */
export async function startSite(pages: Record<string, Answer | Handler> = {}) {
  const paths = new Map(Object.entries(pages));
  /** `GET /path` in order, with the status */
  const requests: { path: string; status: number; headers: IncomingMessage["headers"] }[] = [];
  let inFlight = 0;
  const seen = { mostAtOnce: 0 };
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    seen.mostAtOnce = Math.max(seen.mostAtOnce, ++inFlight);
    response.on("close", () => {
      inFlight--;
      requests.push({ path, status: response.statusCode, headers: request.headers });
    });
    answer(paths.get(path), request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    pages: paths,
    requests,
    seen,
    /** Returns the requests so far and clears them. */
    take: () => requests.splice(0).map(({ path, status }) => `${path} ${status}`),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(found: Answer | Handler | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (found === undefined) return void response.writeHead(404, { "content-type": "text/html" }).end("Not found");
  if (typeof found === "function") return void found(request, response);
  const { status = 200, headers, body = "" } = typeof found === "string" ? { body: found } : found;
  const etag = `"${Buffer.from(body).length}-${hash(Buffer.from(body))}"`;
  if (status === 200 && !headers && request.headers["if-none-match"] === etag) {
    return void response.writeHead(304, { etag }).end();
  }
  const type = String(body).startsWith("<") ? "text/html" : "text/plain";
  response.writeHead(status, headers ?? { "content-type": type, etag }).end(body);
}

function hash(body: Buffer): number {
  let value = 0;
  for (const byte of body) value = (value * 31 + byte) % 1_000_003;
  return value;
}
