import { once } from "node:events";
import type { Server } from "node:http";

/** For scripts started by `startScript`: listens on a free port, reports it, and ends with the parent process. */
export async function serveChild(server: Server): Promise<void> {
  process.once("disconnect", () => process.exit(0));
  process.once("SIGTERM", () => process.exit(0));
  if (!server.listening) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  process.send?.({ port: address.port });
}
