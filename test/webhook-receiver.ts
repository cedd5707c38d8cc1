import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  bytes: Buffer;
  text: string;
};

/** A real HTTP server that records requests. It responds 200 unless `answer` says otherwise. */
export async function startReceiver() {
  const received: Received[] = [];
  const arrivals = new EventEmitter();
  arrivals.setMaxListeners(0);
  let answer = (_: Received, response: ServerResponse): void => void response.end("ok");
  let arriving = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    arriving++;
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // The sender ended during the request, so the request does not count.
      return;
    } finally {
      arriving--;
    }
    const { method = "", url: path = "/", headers, rawHeaders } = request;
    const bytes = Buffer.concat(chunks);
    const one = { method, path, headers, rawHeaders, bytes, text: bytes.toString("utf8") };
    received.push(one);
    arrivals.emit("arrival");
    answer(one, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** The bodies received at this path, parsed. */
    bodies: (path: string) => received.filter((one) => one.path === path).map(({ text }) => JSON.parse(text)),
    /** Sets the response from now on. A handler that never ends the response makes the request hang. */
    answer(next: typeof answer) {
      answer = next;
    },
    /** Resolves when this many requests have arrived in total. */
    async hasReceived(count: number) {
      while (received.length < count) await once(arrivals, "arrival");
    },
    /** Resolves when everything sent by processes that have ended has arrived. */
    async settled() {
      // Connections are accepted in order, so all earlier ones come before this one.
      const last = connect(port, "127.0.0.1");
      await new Promise<void>((resolve) => {
        const onConnection = ({ remotePort }: Socket) => {
          if (remotePort !== last.localPort) return;
          server.off("connection", onConnection);
          resolve();
        };
        server.on("connection", onConnection);
      });
      last.destroy();
      const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
      while ((await open()) > 0 || arriving > 0) await new Promise(setImmediate);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
