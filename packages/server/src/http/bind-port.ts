import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { FastifyListenOptions } from "fastify";

type Listening = { listen(options: FastifyListenOptions): Promise<string> };

/** A port that this process binds before its app exists. */
export type BoundPort = {
  port: number;
  /** Passes the bound socket to the app, which then accepts connections. Call this once. */
  listen(app: Listening): Promise<void>;
  /** Releases the port to another program. */
  release(): Promise<void>;
};

/**
 * Binds a port that the operating system chooses. `PORT=0` needs this because the default of `BASE_URL`, from which the
 * app is built, contains the port. The port is never released in between, so no other process can take it. Until
 * `listen` is called, connections are closed.
 */
export async function bindAnyPort(host: string): Promise<BoundPort> {
  const placeholderServer = createServer((socket) => socket.destroy()).listen(0, host);
  await once(placeholderServer, "listening");
  return {
    port: (placeholderServer.address() as AddressInfo).port,
    async listen(app) {
      // Node's `server.listen` takes over the socket of another server. Fastify passes its options to Node unchanged,
      // but its type only allows addresses.
      await app.listen(Object.assign(placeholderServer, { host }) as unknown as FastifyListenOptions);
    },
    async release() {
      placeholderServer.close();
      await once(placeholderServer, "close");
    },
  };
}
