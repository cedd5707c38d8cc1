import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openOutbound, startHttpServer, waitForClose, waitForNextTurn } from "../../../../test/outbound-servers.ts";
import { createOutbound } from "./guarded-request.ts";

const whole = { method: "GET", trust: "untrusted", organizationId: null, timeoutMs: 10_000, maxBytes: 1_000 } as const;
const never = () => new Promise<string[]>(() => {});

describe("the guarded request", () => {
  it("sends method, headers and body, and returns status, headers and bytes", async () => {
    const { url } = await startHttpServer(async (request, response) => {
      const sent = Buffer.concat(await request.toArray()).toString();
      response.writeHead(418, { "set-cookie": ["a=1", "b=2"] });
      response.end(`${request.method} ${request.url} ${request.headers["x-tool"]} ${sent}`);
    });
    const outbound = openOutbound({ allowPrivate: true });
    const answer = await outbound.request({
      ...whole,
      url: `${url}/a%20b?c=d#e`,
      method: "PUT",
      headers: { "x-tool": "yes" },
      body: "grüße",
    });
    expect(answer).toMatchObject({ status: 418, truncated: false, headers: { "set-cookie": ["a=1", "b=2"] } });
    expect(answer.body.toString()).toBe("PUT /a%20b?c=d yes grüße");
    expect(answer.durationMs).toBeGreaterThanOrEqual(0);
  });

  it("keeps the first maxBytes of a longer body and closes the connection", async () => {
    let closed: Promise<unknown> | undefined;
    const { url } = await startHttpServer((request, response) => {
      closed = waitForClose(request.socket);
      const sendEndlessly = () => {
        while (response.write("0123456789".repeat(1_000)));
      };
      response.on("drain", sendEndlessly);
      sendEndlessly();
    });
    const outbound = openOutbound({ allowPrivate: true });
    const answer = await outbound.request({ ...whole, url, maxBytes: 25 });
    expect(answer.truncated).toBe(true);
    expect(answer.body.toString()).toBe("0123456789012345678901234");
    await closed;
  });

  it("does not report a body of exactly maxBytes as truncated", async () => {
    const { url } = await startHttpServer((_request, response) => response.end("0123456789"));
    const outbound = openOutbound({ allowPrivate: true });
    const answer = await outbound.request({ ...whole, url, maxBytes: 10 });
    expect(answer).toMatchObject({ truncated: false, body: Buffer.from("0123456789") });
    const cut = await outbound.request({ ...whole, url, maxBytes: 0 });
    expect(cut).toMatchObject({ truncated: true, body: Buffer.alloc(0) });
  });

  it("leaves a compressed body unchanged", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { url } = await startHttpServer((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const outbound = openOutbound({ allowPrivate: true });
    const answer = await outbound.request({ ...whole, url, maxBytes: 20_000 });
    expect(answer.body.equals(bomb)).toBe(true);
  });

  it("ends at its deadline when the server or the name server is slow or silent", async () => {
    const drip = await startHttpServer((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("."), 20);
      response.once("close", () => clearInterval(timer));
    });
    const silent = await startHttpServer(() => {});
    const outbound = openOutbound({ allowPrivate: true, resolve: never });
    const urls = [drip.url, silent.url, "http://slow.test"];
    const calls = urls.map((url) => outbound.request({ ...whole, url, timeoutMs: 200 }).catch((error) => error));
    const errors = await Promise.all(calls);
    for (const [index, error] of errors.entries()) {
      expect(error).toMatchObject({ kind: "timeout", publicMessage: "Timed out" });
      expect(error.message).toBe(`${new URL(urls[index] ?? "").host} did not respond completely within 0.2 s.`);
    }
  });

  it("throws the caller's own reason after an abort", async () => {
    const silent = await startHttpServer(() => {});
    const outbound = openOutbound({ allowPrivate: true });
    const reason = new Error("no longer wanted");
    const running = new AbortController();
    const call = outbound.request({ ...whole, url: silent.url, signal: running.signal });
    running.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(outbound.request({ ...whole, url: silent.url, signal: running.signal })).rejects.toBe(reason);
  });
});

describe("the guarded stream", () => {
  it("delivers what has arrived before the rest does", async () => {
    let finish = () => {};
    const { url } = await startHttpServer((_request, response) => {
      response.write("first");
      finish = () => response.end("last");
    });
    const outbound = openOutbound({ allowPrivate: true });
    const { body } = await outbound.stream({ url, method: "GET", trust: "untrusted", organizationId: null });
    const chunks = body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe("first");
    finish();
    expect(String((await chunks.next()).value)).toBe("last");
    expect((await chunks.next()).done).toBe(true);
  });

  it.each(["operator", "untrusted"] as const)("closes the connection when the caller aborts (%s)", async (trust) => {
    let closed: Promise<unknown> | undefined;
    const { url } = await startHttpServer((request, response) => {
      closed = waitForClose(request.socket);
      response.write("first");
    });
    const outbound = openOutbound({ allowPrivate: true });
    const controller = new AbortController();
    const { body } = await outbound.stream({
      url,
      method: "GET",
      trust,
      organizationId: null,
      signal: controller.signal,
    });
    const reason = new Error("visitor gone");
    controller.abort(reason);
    await expect(body.toArray()).rejects.toBe(reason);
    await closed;
  });

  it("survives a body without listeners", async () => {
    let closed: Promise<unknown> | undefined;
    const { url } = await startHttpServer((request, response) => {
      closed = waitForClose(request.socket);
      response.write("first");
    });
    const { body } = await openOutbound({ allowPrivate: true }).stream({
      url,
      method: "GET",
      trust: "untrusted",
      organizationId: null,
    });
    body.destroy();
    await closed;
  });

  it("stops waiting for a hanging DNS lookup when the caller aborts", async () => {
    const outbound = openOutbound({ resolve: never });
    const controller = new AbortController();
    const call = outbound.stream({
      url: "http://slow.test",
      method: "GET",
      trust: "untrusted",
      organizationId: null,
      signal: controller.signal,
    });
    controller.abort(new Error("visitor gone"));
    await expect(call).rejects.toThrow("visitor gone");
  });
});

describe("connections", () => {
  it.each(["operator", "untrusted"] as const)("are reused (%s)", async (trust) => {
    const { url, seen } = await startHttpServer((_request, response) => response.end("ok"));
    const outbound = openOutbound({ allowPrivate: true });
    for (const path of ["/1", "/2"]) {
      await outbound.request({ ...whole, trust, url: url + path });
      await waitForNextTurn();
    }
    const { body } = await outbound.stream({ url, method: "GET", trust, organizationId: null });
    await body.toArray();
    expect(seen.connections).toBe(1);
  });

  it("are closed by close(), including active ones", async () => {
    const { url } = await startHttpServer((_request, response) => response.write("first"));
    const outbound = createOutbound({ allowPrivate: true, allow: [] });
    const { body } = await outbound.stream({ url, method: "GET", trust: "operator", organizationId: null });
    const reading = body.toArray();
    const rejected = expect(reading).rejects.toThrow();
    await outbound.close();
    await rejected;
    await expect(outbound.request({ ...whole, url })).rejects.toMatchObject({ kind: "unreachable" });
  });
});

describe("failed requests", () => {
  it.each([301, 302, 303, 304, 307, 308])(
    "with status %i name the redirect's target without following it",
    async (status) => {
      const target = await startHttpServer((_request, response) => response.end());
      const { url } = await startHttpServer((_request, response) =>
        response.writeHead(status, { location: "/new?to=1" }).end(),
      );
      const away = await startHttpServer((_request, response) =>
        response.writeHead(status, { location: target.url }).end("x"),
      );
      const bare = await startHttpServer((_request, response) => response.writeHead(status).end());
      const outbound = openOutbound({ allowPrivate: true });
      for (const trust of ["operator", "untrusted"] as const) {
        const listCalls = (to: string) => [
          outbound.request({ ...whole, trust, url: to }),
          outbound.stream({ url: to, method: "GET", trust, organizationId: null }),
          outbound.fetch({ trust, organizationId: null })(to, { redirect: "follow" }),
        ];
        for (const [to, message] of [
          [url, `redirects to ${url}/new?to=1 (HTTP ${status})`],
          [away.url, `redirects to ${target.url}/ (HTTP ${status})`],
          [bare.url, `responds with HTTP ${status} and names no address at which to continue.`],
        ] as const) {
          for (const call of listCalls(to)) {
            const error = await call.catch((thrown) => thrown);
            expect(error).toMatchObject({ kind: "redirect", status, publicMessage: `HTTP ${status}` });
            expect(error.message).toContain(message);
          }
        }
      }
      expect(target.seen.connections).toBe(0);
    },
  );

  it("shorten a long redirect target", async () => {
    const location = `https://hooks.example/${"x".repeat(2_000)}`;
    const { url } = await startHttpServer((_request, response) => response.writeHead(302, { location }).end());
    const error = await openOutbound({ allowPrivate: true })
      .request({ ...whole, url })
      .catch((thrown) => thrown);
    expect(error.message).toContain("https://hooks.example/xxx");
    expect(error.message.length).toBeLessThan(350);
  });

  it("describe errors below HTTP", async () => {
    const hangsUp = await startHttpServer((request) => request.socket.destroy());
    const breaksOff = await startHttpServer((request, response) => {
      response.writeHead(200, { "content-length": 100 }).write("half", () => request.socket.destroy());
    });
    const shouts = await startHttpServer((_request, response) =>
      response.writeHead(200, { x: "y".repeat(300_000) }).end(),
    );
    const closed = await startHttpServer(() => {});
    const outbound = openOutbound({ allowPrivate: true, resolve: async () => [] });
    const readFailure = (url: string, headers = {}) =>
      outbound.request({ ...whole, url, headers }).catch((error) => `${error.kind}: ${error.message}`);
    expect(await readFailure("http://127.0.0.1:1/")).toBe("unreachable: 127.0.0.1:1 does not accept connections.");
    expect(await readFailure(hangsUp.url)).toContain("closed the connection before the response was complete");
    expect(await readFailure(breaksOff.url)).toContain("closed the connection before the response was complete");
    expect(await readFailure(shouts.url)).toContain("too_large: ");
    expect(await readFailure("http://nowhere.test/")).toBe("unreachable: nowhere.test could not be resolved.");
    expect(await readFailure(closed.url, { "x-a": "1\r\nx-b: 2" })).toContain("refused: The request to ");
    expect(await readFailure(closed.url, { HOST: "metadata.test" })).toContain("refused: The Host header");
    expect(closed.seen.connections).toBe(0);
  });
});
