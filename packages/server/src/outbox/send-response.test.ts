import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startReceiver } from "../../../../test/webhook-receiver.ts";
import { createOutbound } from "../outbound/guarded-request.ts";
import { MailError } from "../outbound/mail-error.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { createPost, explainFailure } from "./send-response.ts";

const { signal } = new AbortController();
const log = pino({ level: "silent" });

it.each([
  new OutboundError("redirect", "hooks.example redirects to https://[Connection terminated (HTTP 302)."),
  new MailError("The mail server rejected the email: 550 Query read timeout"),
])("counts an attempt as failed when the receiver imitates an error of the database: $message", (error) => {
  expect(explainFailure(error, signal, log)).toMatchObject({ status: null, detail: error.message });
});

it("counts no attempt when the database is unavailable", () => {
  const error = new Error("Connection terminated unexpectedly");
  expect(() => explainFailure(error, signal, log)).toThrow(error);
});

describe("a post", () => {
  type Server = Awaited<ReturnType<typeof startReceiver>>;
  let receiver: Server;
  let other: Server;
  let outbound: ReturnType<typeof createOutbound>;
  beforeEach(async () => {
    receiver = await startReceiver();
    other = await startReceiver();
    outbound = createOutbound({ allowPrivate: true, allow: [] });
  });
  afterEach(async () => {
    await outbound.close();
    await receiver.stop();
    await other.stop();
  });

  const send = (headers: Record<string, string> = {}) => {
    const post = createPost({ config: { webhooks: { timeout: 5_000 } } as never, outbound });
    return post({ url: `${receiver.url}/exec`, organizationId: "org_1", headers, body: '{"a":1}', signal });
  };
  const redirect = (status: number, location?: string) =>
    receiver.answer(({ path }, response) => {
      if (path === "/exec") response.writeHead(status, location ? { location } : {});
      response.end("done");
    });
  const methods = ({ received }: Server) => received.map(({ method, path }) => `${method} ${path}`);

  it.each([301, 302, 303])("answered with %i has reached the receiver, which is then only read", async (status) => {
    redirect(status, "/echo");
    expect(await send()).toMatchObject({ error: null, status: 200, response: "done" });
    expect(methods(receiver)).toEqual(["POST /exec", "GET /echo"]);
  });

  it.each([301, 302, 303])("answered with %i is never repeated, even if the next address fails", async (status) => {
    other.answer((_, response) => void response.writeHead(405).end());
    redirect(status, `${other.url}/echo`);
    const result = await send({ authorization: "Bearer key", "webhook-id": "1" });
    expect(result).toMatchObject({ error: "HTTP 405", isFinal: true });
    expect(other.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    redirect(status);
    expect(await send()).toMatchObject({ error: `HTTP ${status}`, isFinal: true });
  });

  it.each([307, 308])("answered with %i is repeated at the new address once, without credentials", async (status) => {
    redirect(status, `${other.url}/moved`);
    expect(await send({ authorization: "Bearer key", "webhook-id": "1" })).toMatchObject({ error: null });
    expect(methods(other)).toEqual(["POST /moved"]);
    const [moved] = other.received;
    expect(moved?.text).toBe('{"a":1}');
    expect(moved?.headers).toMatchObject({ "webhook-id": "1", "content-type": "application/json" });
    expect(moved?.headers).not.toHaveProperty("authorization");
    other.answer((_, response) => void response.writeHead(status, { location: "/again" }).end());
    await expect(send()).rejects.toMatchObject({ kind: "redirect" });
  });

  it("answered with 307 keeps its credentials at the same origin", async () => {
    redirect(307, "/moved");
    await send({ authorization: "Bearer key" });
    expect(receiver.received.at(-1)?.headers.authorization).toBe("Bearer key");
  });

  it("succeeds although the body of a successful response never ends", async () => {
    receiver.answer((_, response) => void response.writeHead(200).write("accepted"));
    expect(await send()).toMatchObject({ error: null, status: 200, response: "accepted" });
  });

  it("succeeds although the connection breaks within the body of a successful response", async () => {
    receiver.answer((_, response) => {
      response.writeHead(201, { "content-length": "100" });
      response.write("acc", () => response.destroy());
    });
    expect(await send()).toMatchObject({ error: null, status: 201 });
  });

  it("answered with 410 is not repeated", async () => {
    redirect(410);
    expect(await send()).toMatchObject({ error: "HTTP 410", isFinal: true });
  });
});
