import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createOutbound, type Outbound } from "../packages/server/src/outbound/guarded-request.ts";

/** Creates an outbound client that is closed at the end of the test. */
export function openOutbound(options: Partial<Parameters<typeof createOutbound>[0]> = {}): Outbound {
  const outbound = createOutbound({ allowPrivate: false, allow: [], ...options });
  onTestFinished(() => outbound.close());
  return outbound;
}

/** Starts a real HTTP server on a free port of `host`. `seen` counts its connections. */
export async function startHttpServer(listener: RequestListener, host = "127.0.0.1") {
  const server = createServer(listener);
  const { port, seen } = await listen(server, host);
  onTestFinished(async () => {
    server.closeAllConnections();
    await close(server);
  });
  return { port, seen, url: `http://${host}:${port}` };
}

/**
 * Starts a server that counts connections and closes them. Without `host`, it listens on every address of the machine,
 * including IPv6.
 */
export async function startCanary(host?: string) {
  const server = createTcpServer((socket) => socket.destroy());
  const listening = await listen(server, host);
  onTestFinished(() => close(server));
  return listening;
}

export async function listen(server: Server, host?: string) {
  const seen = { connections: 0 };
  server.on("connection", () => {
    seen.connections += 1;
  });
  server.listen(0, host);
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, seen };
}

export async function close(server: Server) {
  server.close();
  await once(server, "close");
}

/** Resolves when the connection has been closed or reset. */
export function waitForClose(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once("close", resolve));
}

/**
 * Waits one turn of the event loop. undici returns a connection to the pool one turn after its response ended, so an
 * earlier call would open another connection.
 */
export function waitForNextTurn(): Promise<unknown> {
  return new Promise((resolve) => setImmediate(resolve));
}
