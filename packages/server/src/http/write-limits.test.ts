import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import Fastify from "fastify";
import { afterEach, expect, it } from "vitest";
import { registerWriteLimits } from "./write-limits.ts";

const LARGE = "x".repeat(16 * 1024 * 1024);
let app: ReturnType<typeof Fastify>;
afterEach(() => app.close());

async function listen(limits: Parameters<typeof registerWriteLimits>[1]) {
  app = Fastify({ forceCloseConnections: true });
  registerWriteLimits(app, limits);
  app.get("/large", async () => LARGE);
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/**
 * Sends a request and does not read the response.
 * @returns the server's side of the connection once the response has begun
 */
async function requestWithoutReading(port: number) {
  const answering = once(app.server, "request");
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const [, response] = await answering;
  return response;
}

it("a client that does not read a large response is disconnected", async () => {
  const port = await listen({ timeoutMs: 200 });
  const response = await requestWithoutReading(port);
  await once(response, "close");
  expect(response.writableFinished).toBe(false);
});

it("the response that has waited longest is aborted when too many bytes wait in total", async () => {
  const port = await listen({ timeoutMs: 600_000, maxWaitingBytes: 20 * 1024 * 1024 });
  const first = await requestWithoutReading(port);
  const closed = once(first, "close");
  const second = await requestWithoutReading(port);
  await closed;
  expect([first.destroyed, second.destroyed]).toEqual([true, false]);
});

it("a large response is delivered whole, with its length, to a client that reads", async () => {
  const port = await listen({ timeoutMs: 600_000 });
  const response = await fetch(`http://127.0.0.1:${port}/large`);
  expect(response.headers.get("content-length")).toBe(String(LARGE.length));
  expect((await response.text()) === LARGE).toBe(true);
});
