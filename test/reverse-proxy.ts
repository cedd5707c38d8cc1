import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export type ReverseProxy = {
  url: string;
  /** Starts to pass requests to the server, which is started after the proxy because BASE_URL contains its address. */
  forwardTo(server: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * A reverse proxy that passes the requests below a path to a server. Like nginx, it does not buffer responses and adds
 * the client's address. `removesPath` removes the path first.
 */
export async function startReverseProxy(path: string, removesPath: boolean): Promise<ReverseProxy> {
  let target: URL | undefined;
  const proxy = createServer((incoming, outgoing) => {
    const { url = "/", method, headers } = incoming;
    if (target === undefined || !`${url}/`.startsWith(`${path}/`)) return outgoing.writeHead(404).end();
    const forwarded = request({
      host: target.hostname,
      port: target.port,
      path: removesPath ? url.slice(path.length) || "/" : url,
      method,
      headers: { ...headers, "x-forwarded-for": incoming.socket.remoteAddress ?? "", "x-forwarded-proto": "http" },
    });
    forwarded.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async forwardTo(server) {
      target = new URL(server);
    },
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
