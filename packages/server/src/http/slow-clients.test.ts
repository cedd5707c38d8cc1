import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

let server: TestServer;
afterEach(() => server.stop());

/** Starts a server with short time limits, which are set directly on Node's server. */
async function startServerWithTimeouts(patience: { headersTimeout?: number; requestTimeout?: number } = {}) {
  server = await startServer();
  Object.assign(server.app.server, { connectionsCheckingInterval: 20 }, patience);
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const address = server.app.server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/**
 * Sends the text, then sends `drip` repeatedly until the server closes the connection.
 * @returns the data that the server sent
 */
async function sendUntilClosed(port: number, text: string, drip = "") {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.on("error", () => {}); // the server may reset the connection during a write
  await once(socket, "connect");
  socket.write(text);
  const timer = drip ? setInterval(() => socket.writable && socket.write(drip), 20) : undefined;
  await once(socket, "close");
  clearInterval(timer);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: body ? JSON.parse(body) : undefined };
}

const post = "POST /chat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
const timedOut = { data: null, error: { code: "REQUEST_TIMEOUT", message: expect.any(String) } };

it.each([
  ["nothing at all after the first line", "GET /agents HTTP/1.1\r\n", ""],
  ["headers that never end", "GET /agents HTTP/1.1\r\nhost: localhost\r\n", "x-more: of this\r\n"],
])("the server ends a connection with %s", async (_, text, drip) => {
  const port = await startServerWithTimeouts({ headersTimeout: 150, requestTimeout: 300 });
  const { status, head, body } = await sendUntilClosed(port, text, drip);
  expect([status, body]).toEqual([408, timedOut]);
  expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/m);
});

it.each([
  ["stops", `${post}content-length: 1000\r\n\r\n{"agentId":`, ""],
  ["drips", `${post}content-length: 1000\r\n\r\n{"agentId":`, " "],
  ["drips in chunks", `${post}transfer-encoding: chunked\r\n\r\n`, "1\r\n \r\n"],
])("the server ends a connection whose body %s", async (_, text, drip) => {
  const port = await startServerWithTimeouts({ headersTimeout: 100, requestTimeout: 200 });
  expect(await sendUntilClosed(port, text, drip)).toMatchObject({ status: 408, body: timedOut });
});

it("the server waits at most 10 s for headers and 30 s for a body", async () => {
  server = await startServer();
  const { headersTimeout, requestTimeout } = server.app.server;
  expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 10_000, requestTimeout: 30_000 });
  // The interval at which Node checks for slow clients. With its default of 30 s, a limit of 10 s could last up to 40
  // s.
  expect(Reflect.get(server.app.server, "connectionsCheckingInterval")).toBeLessThanOrEqual(5_000);
});

it.each([
  ["no HTTP", "hello\r\n\r\n"],
  ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["two lengths", `${post}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
  ["a length and chunks", `${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`],
  ["a negative length", `${post}content-length: -2\r\n\r\n{}`],
  ["a wrong chunk", `${post}transfer-encoding: chunked\r\n\r\nzz\r\n`],
  ["a header with a NUL", "GET /agents HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n"],
  ["a space before the colon", "GET /agents HTTP/1.1\r\nhost : localhost\r\n\r\n"],
  ["headers of 20 KB", `GET /agents HTTP/1.1\r\nhost: localhost\r\nx: ${"a".repeat(20_000)}\r\n\r\n`],
])("the server responds to %s with a regular error and ends the connection", async (_, text) => {
  const port = await startServerWithTimeouts();
  const { status, body } = await sendUntilClosed(port, text);
  expect([status, body]).toEqual([
    400,
    { data: null, error: { code: "VALIDATION_ERROR", message: expect.any(String) } },
  ]);
  expect((await server.app.inject({ url: "/healthz" })).statusCode).toBe(200);
});
