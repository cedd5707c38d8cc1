import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import Fastify from "fastify";
import { afterEach, expect, it } from "vitest";
import { type EventReader, sendEvents } from "./sse.ts";

const app = () => Fastify();
let running: ReturnType<typeof app>;
afterEach(() => running.close());

/**
 * Starts a server with one route that follows this source, and a client that has sent a request but reads nothing yet.
 */
async function openStream(follow: (reader: EventReader) => () => void, heartbeat = 5) {
  running = app();
  running.get("/", (_, reply) => sendEvents(reply, heartbeat, follow));
  await running.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((running.server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  return socket;
}

it("a stream sends all of a large reply to a late reader, despite heartbeats in the meantime", async () => {
  // Send more than the connection's buffers can contain, so that most of it waits in the server.
  const text = "x".repeat(1_000_000);
  const left = Promise.withResolvers<void>();
  const socket = await openStream((reader) => {
    for (let n = 0; n < 8; n++) reader.write(`data: ${text}\n\n`);
    reader.write("data: last\n\n");
    reader.end();
    return left.resolve;
  });
  // Read nothing for several heartbeats.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const received: Buffer[] = [];
  socket.on("data", (data) => received.push(Buffer.from(data)));
  await once(socket, "close");
  await left.promise;
  const all = Buffer.concat(received);
  expect(all.length).toBeGreaterThan(8 * text.length);
  expect(all.subarray(-100).toString()).toContain("data: last");
});

it("a stream disconnects a reader that never reads, and releases the source", async () => {
  const left = Promise.withResolvers<void>();
  let isOver = false;
  await openStream((reader) => {
    const sendEndlessly = () => {
      if (isOver) return;
      reader.write(`data: ${"x".repeat(200_000)}\n\n`);
      setImmediate(sendEndlessly);
    };
    sendEndlessly();
    return () => {
      isOver = true;
      left.resolve();
    };
  });
  await left.promise;
});

it("a stream sends the events of one turn as one chunk, and the connection can serve the next request", async () => {
  running = app();
  running.get("/", (_, reply) =>
    sendEvents(reply, 60_000, (reader) => {
      reader.write("data: 1\n\n");
      reader.write("data: ü\n\n");
      setImmediate(() => {
        reader.write("data: 3\n\n");
        reader.end();
      });
      return () => {};
    }),
  );
  await running.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((running.server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
  for (let request = 0; request < 2; request++) {
    let received = "";
    const complete = Promise.withResolvers<void>();
    const read = (text: string) => {
      received += text;
      if (received.endsWith("0\r\n\r\n")) complete.resolve();
    };
    socket.on("data", read).once("close", complete.resolve);
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await complete.promise;
    socket.off("data", read);
    const [, body] = received.split(/\r\n\r\n(?=\d)/);
    expect(body).toBe("13\r\ndata: 1\n\ndata: ü\n\n\r\n9\r\ndata: 3\n\n\r\n0\r\n\r\n");
  }
  socket.destroy();
});

it("a HEAD request starts no source, because nothing would end it", async () => {
  running = app();
  let sources = 0;
  running.get("/", (_, reply) =>
    sendEvents(reply, 5, () => {
      sources++;
      return () => {};
    }),
  );
  const { statusCode, headers, body } = await running.inject({ method: "HEAD", url: "/" });
  expect([statusCode, headers["content-type"], body]).toEqual([200, "text/event-stream; charset=utf-8", ""]);
  expect(sources).toBe(0);
});
