import { createServer, request } from "node:http";
import { serveChild } from "../serve-child.ts";

/** The minimum that Node can do between a client and a provider: piping bytes without reading them. */
const upstreamUrl = process.argv[2] ?? "";
await serveChild(
  createServer((incoming, outgoing) => {
    const { "content-type": type, "content-length": length } = incoming.headers;
    const headers = { "content-type": type, "content-length": length };
    const call = request(`${upstreamUrl}${incoming.url}`, { method: "POST", headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, { "content-type": response.headers["content-type"] });
      response.pipe(outgoing);
    });
    call.on("error", () => outgoing.destroy());
    incoming.pipe(call);
  }),
);
