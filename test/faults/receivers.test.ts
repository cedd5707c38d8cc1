import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { FormSubmissionDetail } from "@foyer/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, createFaultSite, createForm, type FaultSite, type ServerProcess, submit } from "./fault-site.ts";

/** One attempt of two seconds, so that a failure is final. */
let site: FaultSite;
let serverProcess: ServerProcess;
let toolId: string;

beforeAll(async () => {
  site = await createFaultSite("SQLite", { FOYER_WEBHOOK_SCHEDULE: "0s", FOYER_WEBHOOK_TIMEOUT: "2s" });
  serverProcess = await site.start();
  toolId = await createForm(serverProcess, `${site.receiver.url}/hook`);
});
afterAll(() => site.remove());

/** Submits once to a receiver that responds like this. @returns the owner's view of the delivery */
async function deliver(answer: (response: ServerResponse) => void) {
  site.receiver.received.splice(0);
  site.receiver.answer((_, response) => answer(response));
  const { webhookResult, submissionId } = await submit(serverProcess, toolId);
  const detail = await call<FormSubmissionDetail>(serverProcess, "GET", `/form-submissions/${submissionId}`);
  const { status, deliveries } = detail;
  expect(site.receiver.received).toHaveLength(1);
  const [attempt, ...more] = deliveries.flatMap(({ attempts }) => attempts);
  if (!attempt || more.length > 0) throw new Error("not one attempt");
  return { webhookResult, status, attempt };
}

const residentBytes = async () => {
  const metrics = await (await fetch(`${serverProcess.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
};

const failed = (error: string) => ({ status: "webhook_failed", webhookResult: { success: false, error } });

it("a delivery gives up on a receiver that hangs", async () => {
  const delivery = await deliver(() => {});
  expect(delivery).toMatchObject({ ...failed("Timed out"), attempt: { status: null, error: "Timed out" } });
  expect(delivery.attempt.durationMs).toBeGreaterThanOrEqual(1_990);
});

it("a delivery does not wait for the end of a successful response that never comes", async () => {
  const delivery = await deliver((response) => {
    const drip = setInterval(() => response.write("."), 50);
    response.on("close", () => clearInterval(drip));
  });
  expect(delivery).toMatchObject({ status: "webhook_success", attempt: { status: 200 } });
});

it("a delivery reads 64 KiB of an endless response and stores 16", async () => {
  let written = 0;
  const isOver = Promise.withResolvers<void>();
  const delivery = await deliver((response) => {
    const chunk = Buffer.alloc(65_536, "f");
    const flood = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
    };
    response.on("drain", flood).on("close", isOver.resolve);
    flood();
  });
  await isOver.promise;
  expect(delivery).toMatchObject({ status: "webhook_success", attempt: { status: 200, response: "f".repeat(16_384) } });
  // At most what the buffers of the two sockets hold, which is far less than two seconds of flooding.
  expect(written).toBeLessThan(32 * 1024 * 1024);
});

it("a delivery fails at a receiver that redirects to an address that refuses connections", async () => {
  const target = "http://127.0.0.1:1/elsewhere";
  const delivery = await deliver((response) => response.writeHead(302, { location: target }).end());
  expect(delivery).toMatchObject({ ...failed("HTTP 302"), attempt: { status: 302 } });
  expect(delivery.attempt.detail).toContain("127.0.0.1:1");
});

it("a delivery does not decompress a gzip bomb", async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000), { level: 1 });
  await deliver((response) => response.end("warm"));
  const before = await residentBytes();
  for (let time = 0; time < 3; time++) {
    const delivery = await deliver((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    expect(delivery.status).toBe("webhook_success");
    expect(delivery.attempt.response?.length).toBeLessThanOrEqual(16_384);
  }
  expect((await residentBytes()) - before).toBeLessThan(50_000_000);
});

it.each([
  ["closes without an answer", (response: ServerResponse) => response.socket?.destroy()],
  ["resets the connection", (response: ServerResponse) => response.socket?.resetAndDestroy()],
  ["answers garbage", (response: ServerResponse) => response.socket?.end("what is this\r\n\r\n")],
  [
    "answers with garbage for a status",
    (response: ServerResponse) => response.socket?.end("HTTP/1.1 999999 ?\r\n\r\n"),
  ],
])("a delivery fails at a receiver that %s, and the worker continues", async (_, answer) => {
  const delivery = await deliver(answer);
  expect(delivery).toMatchObject({ ...failed("Not reachable"), attempt: { status: null, error: "Not reachable" } });
  expect(delivery.attempt.detail).toContain(new URL(site.receiver.url).host);
  expect(await deliver((response) => response.end("ok"))).toMatchObject({ status: "webhook_success" });
});

it.each([
  [
    "closes in the middle of its answer",
    (response: ServerResponse) => {
      response.writeHead(200, { "content-length": 100 }).write("half");
      setImmediate(() => response.socket?.destroy());
    },
  ],
  [
    "answers a chunk of nonsense",
    (response: ServerResponse) =>
      response.socket?.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello"),
  ],
])("a delivery has arrived at a receiver that accepts it and %s", async (_, answer) => {
  expect(await deliver(answer)).toMatchObject({ status: "webhook_success", attempt: { status: 200 } });
});

it("a delivery records the response whatever its bytes", async () => {
  const bytes = Buffer.from([0, 255, 128, 0xc3, 0x28, 0, 10, ...Buffer.from("é")]);
  const delivery = await deliver((response) => response.end(bytes));
  expect(delivery).toMatchObject({ status: "webhook_success", attempt: { response: expect.stringContaining("é") } });
});
