import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/**
 * A port of 127.0.0.1 that refuses connections until `release` is called. A connected client socket holds it, so no
 * other process can listen there.
 */
export async function holdRefusedPort(): Promise<{ port: number; release(): void }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await Promise.all([once(client, "connect"), once(server, "connection")]);
  server.close();
  return { port: client.localPort as number, release: () => void client.destroy() };
}
