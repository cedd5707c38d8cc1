import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
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

  const send = (headers: Record<string, string> = {}, through = outbound, url = `${receiver.url}/exec`) => {
    const post = createPost({ config: { webhooks: { timeout: 5_000 } } as never, outbound: through });
    return post({ url, organizationId: "org_1", headers, body: '{"a":1}', signal });
  };
  const redirect = (status: number, location?: string) =>
    receiver.answer(({ path }, response) => {
      if (path === "/exec") response.writeHead(status, location ? { location } : {});
      response.end("done");
    });
  const methods = ({ received }: Server) => received.map(({ method, path }) => `${method} ${path}`);

  it("answered with 200 and the cookies of many applications is delivered", async () => {
    receiver.answer((_, response) => {
      response.writeHead(200, { "set-cookie": Array.from({ length: 200 }, () => "a".repeat(300)) });
      response.end();
    });
    expect(await send()).toMatchObject({ error: null, status: 200 });
  });

  it.each([300, 304])("answered with %i says so, without speaking of a redirect", async (status) => {
    redirect(status);
    expect((await send()).detail).toMatch(
      new RegExp(`responds with HTTP ${status} and names no address at which to continue`),
    );
  });

  it.each([
    [301, "/echo"],
    [302, "/login"],
    [303, "/echo"],
    [302, "https://accounts.google.com/ServiceLogin"],
    [302, "https://script.googleusercontent.com/macros/echo"],
  ])("answered with %i to %s is a failure that is retried and names the new address", async (status, target) => {
    redirect(status, target);
    const location = new URL(target, receiver.url).href;
    const result = await send();
    expect(result).toMatchObject({ error: `HTTP ${status}`, status, redirect: { status, location } });
    expect(result.detail).toContain(location);
    expect(result).not.toHaveProperty("isFinal");
    expect(methods(receiver)).toEqual(["POST /exec"]);
  });

  it.each([200, 404, 500])("to Google's script host has run the script, which responds with %i", async (status) => {
    const { port } = new URL(receiver.url);
    const scripts = createOutbound({ allowPrivate: true, allow: [], resolve: async () => ["127.0.0.1"] });
    onTestFinished(() => scripts.close());
    const location = `http://script.googleusercontent.com:${port}/macros/echo`;
    receiver.answer(({ path }, response) => {
      if (path === "/exec") response.writeHead(302, { location }).end();
      else response.writeHead(status).end("thanks");
    });
    const result = await send({ authorization: "Bearer key" }, scripts, `http://script.google.com:${port}/exec`);
    expect(result).toMatchObject({ error: null, status: 302, response: "thanks", redirect: { status: 302, location } });
    expect(methods(receiver)).toEqual(["POST /exec", "GET /macros/echo"]);
    expect(receiver.received[1]?.headers).not.toHaveProperty("authorization");
  });

  it.each([
    [307, "/portal", '<!doctype html><form><input name="a"><input required type=password></form>'],
    [308, "/users/sign_in", "<!doctype html><title>Welcome</title>"],
    [307, "/sso/start?from=hook", "<html><body><div id=app></div></body></html>"],
  ])("answered with %i to the sign-in page %s is a failure, although the page responds with 200", async (...page) => {
    const [status, target, html] = page;
    receiver.answer(({ path }, response) => {
      if (path === "/exec") response.writeHead(status, { location: target }).end();
      else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
    });
    const result = await send();
    expect(result).toMatchObject({ error: "Redirected to a sign-in page", status: 200, redirect: { status } });
    expect(result.detail).toContain(`${receiver.url}${target}`);
  });

  it("answered with 308 to a program that responds in HTML is delivered", async () => {
    receiver.answer(({ path }, response) => {
      if (path === "/exec") response.writeHead(308, { location: "/leads.php" }).end();
      else response.writeHead(200, { "content-type": "text/html" }).end("<p>Thanks, your login details follow.</p>");
    });
    expect(await send()).toMatchObject({ error: null, status: 200 });
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
    const twice = { status, redirect: { status, location: `${other.url}/moved` } };
    expect(await send()).toMatchObject({
      ...twice,
      error: `HTTP ${status}`,
      detail: expect.stringContaining("/again"),
    });
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

  it.each([300, 304, 400, 401, 403, 404, 409, 410, 422, 451, 500, 503])(
    "answered with %i is retried",
    async (status) => {
      redirect(status);
      const result = await send();
      expect(result).toMatchObject({ error: `HTTP ${status}`, status });
      expect(result).not.toHaveProperty("isFinal");
    },
  );
});
