import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import { afterEach, beforeEach, expect, it } from "vitest";
import { registerRequestDraining } from "./drain-request.ts";

let app: ReturnType<typeof Fastify>;
let port: number;
beforeEach(async () => {
  app = Fastify({ bodyLimit: 1_000, forceCloseConnections: true });
  registerRequestDraining(app);
  app.post("/", async () => "taken");
  await app.listen({ host: "127.0.0.1", port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterEach(() => app.close());

it("a body far over the limit gets a response after all of it has arrived", async () => {
  const length = 20_000_000;
  const socket = connect(port, "127.0.0.1");
  const answer = text(socket);
  socket.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
  );
  const rest = Buffer.alloc(1_000_000, "x");
  for (let sent = 0; sent < length; sent += rest.length) {
    if (!socket.write(rest)) await once(socket, "drain");
  }
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
});

it("a request whose body has arrived gets its response without delay", async () => {
  const small = { method: "POST", headers: { "content-type": "application/json" } };
  expect((await fetch(`http://127.0.0.1:${port}/`, { ...small, body: "no json" })).status).toBe(400);
  expect((await fetch(`http://127.0.0.1:${port}/`, { ...small, body: "{}" })).status).toBe(200);
});
