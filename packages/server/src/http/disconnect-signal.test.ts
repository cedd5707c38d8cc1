import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { FastifyReply } from "fastify";
import { expect, it } from "vitest";
import { createDisconnectSignal } from "./disconnect-signal.ts";

it("the disconnect signal is aborted for a client that has already disconnected", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const [, raw] = (await once(server, "request")) as [unknown, ServerResponse];
  const before = createDisconnectSignal({ raw } as FastifyReply);
  expect(before.aborted).toBe(false);
  const closed = once(raw, "close");
  client.destroy();
  await closed;
  expect(before.aborted).toBe(true);
  expect(createDisconnectSignal({ raw } as FastifyReply).aborted).toBe(true);
  server.close();
});
