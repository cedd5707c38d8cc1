import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openOutbound, startCanary, startHttpServer, waitForNextTurn } from "../../../../../test/outbound-servers.ts";
import { parseToolInput } from "../../chat/loop/tool-input.ts";
import type { ToolRow } from "../../db/tables.ts";
import { runHttpTool } from "./run-http-tool.ts";

type HttpFields = Pick<ToolRow, "httpUrl"> &
  Partial<Pick<ToolRow, "httpMethod">> & { headers?: Record<string, string> };

function createHttpTool({ httpUrl, httpMethod, headers }: HttpFields): ToolRow {
  return {
    id: "tool_1",
    organizationId: "org_1",
    agentId: "agent_1",
    name: "look_up",
    description: "Looks up",
    executionType: "http",
    inputSchema: '{"additionalProperties":true}',
    isEnabled: 1,
    label: null,
    resultFor: "both" as const,
    displayConfig: null,
    mockResponse: null,
    httpUrl,
    httpMethod: httpMethod ?? "GET",
    httpHeaders: headers ? JSON.stringify(headers) : null,
    clientResultSchema: null,
    formSchema: null,
    formExecutionMode: null,
    formWebhookUrl: null,
    formClientHandler: null,
    formPostActions: null,
    formConfirmation: null,
    disabledAt: null,
    mayUseUnboundSecrets: 1,
    httpBody: null,
    sendVisitorToken: 0,
    requires: null,
    createdAt: 0,
    updatedAt: 0,
  };
}

const noSecrets = async () => null;
/** A turn in which nothing is proven. */
const turn = {
  context: { visitor: null, conversation: { id: "conv_1" }, page: null },
  visitorTokenFor: async () => null,
};

/** Runs a tool against a server with these responses. */
async function run(listener: RequestListener, fields: Partial<HttpFields> = {}, input: Record<string, unknown> = {}) {
  const { url } = await startHttpServer(listener);
  const outbound = openOutbound({ allowPrivate: true });
  return runHttpTool(createHttpTool({ httpUrl: url, ...fields }), input, { outbound, ...turn, secretFor: noSecrets });
}

function respondWith(contentType: string | null, body: string | Buffer, status = 200): RequestListener {
  return (_request, response) => {
    response.writeHead(status, contentType === null ? {} : { "content-type": contentType });
    response.end(body);
  };
}

describe("a response", () => {
  it("is shown to members with its status and headers, even when it is an error", async () => {
    const kept = await run(respondWith("application/json", '{ "a": 1 }'));
    const headers = expect.objectContaining({ "content-type": "application/json" });
    expect(kept.response).toEqual({ status: 200, headers, body: '{"a":1}' });
    const refused = await run(respondWith("text/plain", "no such bike", 404));
    expect(refused.response).toMatchObject({ status: 404, body: "no such bike" });
    const unreadable = await run(respondWith("image/png", Buffer.from([1, 2, 3])));
    expect(unreadable.response).toMatchObject({ status: 200, body: "" });
    const long = await run(respondWith("text/plain", "a".repeat(100_000)));
    expect(long.response?.body).toHaveLength(65_536);
  });

  it.each<[string, string | null, string | Buffer, unknown]>([
    ["a JSON object", "application/json", '{"a":[1,"é"]}', { a: [1, "é"] }],
    ["a JSON scalar", "application/json; charset=utf-8", "42", 42],
    ["another kind of JSON", "application/problem+json", '{"a":1}', { a: 1 }],
    ["JSON that says it is text", "text/plain", ' [{"a":1}]', [{ a: 1 }]],
    ["JSON of no stated type", null, '{"a":1}', { a: 1 }],
    ["a number as text", "text/plain", "42", "42"],
    ["broken JSON", "application/json", '{"a":', '{"a":'],
    ["text", "text/plain", "grüße", "grüße"],
    ["XML", "image/svg+xml", "<svg/>", "<svg/>"],
    ["Latin-1", "text/plain; charset=ISO-8859-1", Buffer.from("grüße", "latin1"), "grüße"],
    ["UTF-16", 'text/plain; charset="utf-16le"', Buffer.from("grüße", "utf16le"), "grüße"],
    ["an unknown charset", "text/plain; charset=klingon", "grüße", "grüße"],
    ["nothing", "image/png", "", ""],
    ["JSON too deep to walk", "application/json", "[".repeat(200) + "]".repeat(200), "[".repeat(200) + "]".repeat(200)],
  ])("is converted to a tool result: %s", async (_what, contentType, body, result) => {
    const outcome = await run(respondWith(contentType, body));
    expect(outcome).toMatchObject({ result, isError: false, problem: null });
    const text = typeof result === "string" ? result : JSON.stringify(result);
    expect(outcome.forModel).toBe(text || "The response is empty (HTTP 200).");
    expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
  });

  it.each<[string, string | null, Buffer]>([
    ["a picture", "image/png", Buffer.from("text")],
    ["bytes", "application/octet-stream", Buffer.from([0x74, 0xff, 0x74])],
    ["control characters", "application/octet-stream", Buffer.from([0x74, 0x01, 0x74])],
    ["bytes of an unknown type", null, Buffer.from([0xff, 0xfe, 0x80])],
    ["zeros of no stated type", null, Buffer.alloc(3)],
  ])("with %s is not treated as text", async (_what, contentType, body) => {
    const outcome = await run(respondWith(contentType, body));
    expect(outcome).toMatchObject({ result: "Not text", isError: true, forModel: "Not text" });
    expect(outcome.problem).toContain(contentType ?? "bytes of an unknown type");
  });

  it("with an error status shows the model its beginning and visitors only the status", async () => {
    const body = `${"x".repeat(999)}👋and more`;
    const outcome = await run(respondWith("text/html", body, 500));
    const told = `HTTP 500: ${"x".repeat(999)}\ufffd`;
    expect(outcome).toMatchObject({ result: "HTTP 500", isError: true, forModel: told, problem: told });
    expect(await run(respondWith("image/png", "bytes", 404))).toMatchObject({
      result: "HTTP 404",
      forModel: "HTTP 404",
    });
    expect(await run(respondWith("text/plain", "", 429))).toMatchObject({ result: "HTTP 429", forModel: "HTTP 429" });
  });

  it("can have 1,000,000 bytes and no more", async () => {
    const fits = await run(respondWith("text/plain", "x".repeat(1_000_000)));
    expect(fits).toMatchObject({ isError: false });
    expect(fits.result).toHaveLength(1_000_000);
    const outcome = await run(respondWith("application/json", JSON.stringify("x".repeat(1_000_000))));
    expect(outcome).toMatchObject({ result: "Response too large", isError: true, forModel: "Response too large" });
    expect(outcome.problem).toContain("1000000 bytes");
  });

  it("with 450,000 values does not block the event loop while its secrets are masked", async () => {
    const body = Buffer.from(`[${"1,".repeat(450_000)}1]`);
    const headers = { "content-type": "application/json" };
    const answer = { status: 200, headers, body, truncated: false, durationMs: 0 };
    const outbound = { request: async () => answer };
    let turns = 0;
    let timer = setImmediate(function count() {
      turns += 1;
      timer = setImmediate(count);
    });
    const deps = { outbound, ...turn, secretFor: noSecrets };
    const { result } = await runHttpTool(createHttpTool({ httpUrl: "https://api.example" }), {}, deps);
    clearImmediate(timer);
    expect(result).toHaveLength(450_001);
    expect(turns).toBeGreaterThan(2);
  });

  it("is cut for the model at 32,768 bytes without splitting a character", async () => {
    const whole = "x".repeat(32_768);
    expect((await run(respondWith("text/plain", whole))).forModel).toBe(whole);
    const outcome = await run(respondWith("text/plain", `x${"€".repeat(20_000)}`));
    expect(outcome.result).toHaveLength(20_001);
    // 1 + 3 × 10,922 = 32,767: the next character would end beyond the limit.
    const note = "\n\n[Truncated: these are the first 32767 of 60001 bytes.]";
    expect(outcome.forModel).toBe(`x${"€".repeat(10_922)}${note}`);
  });

  const json = '{"stock":12}';
  it.each<[string, Buffer | string]>([
    ["gzip", gzipSync(json)],
    ["X-GZIP", gzipSync(json)],
    ["deflate", deflateSync(json)],
    ["deflate", deflateRawSync(json)],
    ["br", brotliCompressSync(json)],
    ["zstd", zstdCompressSync(json)],
    ["deflate, gzip", gzipSync(deflateSync(json))],
    ["gzip", json],
    ["Identity", json],
    ["", json],
    ["none", json],
    ["UTF-8", json],
  ])("with the Content-Encoding %j is read, although none was requested", async (encoding, body) => {
    const answer = (status: number) => (request: IncomingMessage, response: ServerResponse) => {
      expect(request.headers["accept-encoding"]).toBe("identity");
      response.writeHead(status, { "content-type": "application/json", "content-encoding": encoding }).end(body);
    };
    expect(await run(answer(200))).toMatchObject({ result: { stock: 12 }, isError: false });
    expect((await run(answer(404))).forModel).toBe(`HTTP 404: ${json}`);
  });

  it.each<[string, Buffer, string]>([
    ["gzip", gzipSync(Buffer.alloc(20_000_000)), "Response too large"],
    ["gzip", gzipSync(json).subarray(0, 12), "Not readable"],
    ["klingon", Buffer.from([0xff, 0x01]), "Not readable"],
  ])("with the Content-Encoding %j is refused when it cannot be decompressed or is too large", async (...given) => {
    const [encoding, body, result] = given;
    const outcome = await run((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": encoding }).end(body);
    });
    expect(outcome).toMatchObject({ result, isError: true });
  });

  it.each([
    ["application/octet-stream", json],
    ["binary/octet-stream", json],
    ["json", json],
    ["application/x-json", json],
    ["application/json; charset=iso-8859-1", Buffer.from('{"stock":"grün"}', "latin1")],
    ["application/json", Buffer.from('{"stock":"grün"}', "latin1")],
    ["application/json; charset=utf-8", Buffer.from('{"stock":"grün"}', "latin1")],
    ["application/json", Buffer.from('\ufeff{"stock":"grün"}', "utf16le")],
    ["application/json", Buffer.from('{"stock":"grün"}', "utf16le")],
    ["application/json", Buffer.from('\ufeff{"stock":"grün"}')],
  ])("of the type %j is read as JSON", async (type, body) => {
    const { result } = await run(respondWith(type, body));
    expect(["grün", 12]).toContain((result as { stock: unknown }).stock);
  });

  it("with an XML declaration is read in the encoding that it names", async () => {
    const body = Buffer.from('<?xml version="1.0" encoding="windows-1250"?><a>\x8elu\x9d</a>', "latin1");
    expect((await run(respondWith("text/xml", body))).result).toContain("Žluť");
  });

  it("contains exactly what the model has sent, for any JSON that a service returns unchanged", async () => {
    const texts = fc.letrec((tie) => ({
      number: fc.oneof(
        fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
        fc.bigInt().map(String),
      ),
      text: fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
      list: fc.array(tie("value"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
      object: fc
        .uniqueArray(fc.oneof(fc.nat({ max: 20 }).map(String), fc.string({ unit: "grapheme" })), { maxLength: 5 })
        .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(JSON.stringify(name)), tie("value")))))
        .map((entries) => `{${entries.map(([name, value]) => `${name}:${value}`).join(",")}}`),
      value: fc.oneof(
        { depthSize: "small" },
        tie("number"),
        tie("text"),
        fc.constantFrom("null", "true"),
        tie("list"),
        tie("object"),
      ),
    }));
    const { url } = await startHttpServer(async (request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(Buffer.concat(await request.toArray()));
    });
    const deps = { ...turn, outbound: openOutbound({ allowPrivate: true }), secretFor: noSecrets };
    const tool = createHttpTool({ httpUrl: url, httpMethod: "POST" });
    const values = fc.sample(texts.value as fc.Arbitrary<string>, 10_000);
    for (let at = 0; at < values.length; at += 100) {
      const body = `{"values":[${values.slice(at, at + 100).join(",")}]}`;
      const { result } = await runHttpTool(tool, parseToolInput(body) as Record<string, unknown>, deps);
      expect(JSON.stringify(result)).toBe(body);
    }
  });

  it("keeps the digits of its numbers and the order of its names", async () => {
    const body = '{"b":1234567890123456789,"10":10.50,"2":[1E400,-0,0.10],"a":1.0}';
    const { forModel, result } = await run(respondWith("application/json", ` ${body.replace(",", ", ")}\n`));
    expect([forModel, JSON.stringify(result)]).toEqual([body, body]);
  });
});

describe("an HTTP call", () => {
  it("sends what the tool defines and reports what it sent", async () => {
    const outcome = await run(
      async (request, response) => {
        const body = Buffer.concat(await request.toArray()).toString();
        response.end(JSON.stringify({ method: request.method, type: request.headers["content-type"], body }));
      },
      { httpMethod: "POST", headers: { "X-Shop": "1" } },
      { name: "Zoë" },
    );
    expect(outcome.result).toEqual({ method: "POST", type: "application/json", body: '{"name":"Zoë"}' });
    expect(outcome.request).toMatchObject({ method: "POST", headers: { "x-shop": "1" }, body: '{"name":"Zoë"}' });
    expect(outcome.request?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  });

  it("that cannot be built is not sent", async () => {
    const { url, seen } = await startHttpServer((_request, response) => response.end());
    const outbound = openOutbound({ allowPrivate: true });
    const deps = { outbound, ...turn, secretFor: noSecrets };
    const missing = await runHttpTool(createHttpTool({ httpUrl: `${url}/{id}` }), {}, deps);
    expect(missing).toMatchObject({
      result: "id is missing.",
      forModel: "id is missing.",
      isError: true,
      request: null,
    });
    const unknown = await runHttpTool(
      createHttpTool({ httpUrl: url, headers: { "x-a": "{{DATABASE_URL}}" } }),
      {},
      deps,
    );
    const message = "The secret DATABASE_URL is not available to this tool.";
    expect(unknown).toMatchObject({ result: message, forModel: message, isError: true, request: null });
    expect(unknown.problem).toContain(new URL(url).host);
    expect(seen.connections).toBe(0);
  });

  it("follows no redirect and shows its target to members only", async () => {
    const canary = await startCanary();
    const outcome = await run((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/inside` }).end();
    });
    expect(outcome).toMatchObject({ result: "HTTP 302", forModel: "HTTP 302", isError: true });
    expect(outcome.problem).toContain("/inside");
    expect(canary.seen.connections).toBe(0);
  });

  it("to a refused address fails like one to an unreachable host", async () => {
    const canary = await startCanary();
    const outbound = openOutbound({ resolve: async () => ["127.0.0.1"] });
    const deps = { outbound, ...turn, secretFor: noSecrets };
    const outcome = await runHttpTool(createHttpTool({ httpUrl: `http://inside.test:${canary.port}/` }), {}, deps);
    expect(outcome).toMatchObject({ result: "Not reachable", forModel: "Not reachable", isError: true });
    expect(outcome.problem).toContain("may not be called");
    expect(canary.seen.connections).toBe(0);
    // Nothing listens on port 1.
    const dead = await runHttpTool(
      createHttpTool({ httpUrl: "http://127.0.0.1:1/" }),
      {},
      {
        ...deps,
        outbound: openOutbound({ allowPrivate: true }),
      },
    );
    expect(dead).toMatchObject({ result: outcome.result, forModel: outcome.forModel });
  });

  it("ends at its deadline, even when the response arrives slowly", async () => {
    const { url } = await startHttpServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const timer = setInterval(() => response.write("."), 10);
      response.once("close", () => clearInterval(timer));
    });
    const deps = { outbound: openOutbound({ allowPrivate: true }), ...turn, secretFor: noSecrets, timeoutMs: 150 };
    const outcome = await runHttpTool(createHttpTool({ httpUrl: url }), {}, deps);
    expect(outcome).toMatchObject({ result: "Timed out", forModel: "Timed out", isError: true });
    expect(outcome.problem).toContain("did not respond completely");
  });

  it("has limits of 10 s and 1 MB and follows the address rules for organizations", async () => {
    let asked: unknown;
    const outbound = {
      request: async (options: unknown) => {
        asked = options;
        return { status: 200, headers: {}, body: Buffer.from("ok"), truncated: false, durationMs: 1 };
      },
    };
    await runHttpTool(
      createHttpTool({ httpUrl: "https://api.example" }),
      {},
      { outbound, ...turn, secretFor: noSecrets },
    );
    expect(asked).toMatchObject({ timeoutMs: 10_000, maxBytes: 1_000_000, trust: "untrusted" });
  });

  it("ends with the reply that requested it", async () => {
    const stop = new AbortController();
    const { url } = await startHttpServer(() => stop.abort(new Error("gone")));
    const deps = { outbound: openOutbound({ allowPrivate: true }), ...turn, secretFor: noSecrets, signal: stop.signal };
    const during = await runHttpTool(createHttpTool({ httpUrl: url }), {}, deps);
    expect(during).toMatchObject({ isError: true, result: "Stopped before the response arrived" });
    const after = await runHttpTool(createHttpTool({ httpUrl: url }), {}, deps);
    expect(after).toMatchObject({ isError: true, result: "Stopped before the response arrived" });
  });

  it("reuses the previous connection", async () => {
    const { url, seen } = await startHttpServer((_request, response) => response.end("ok"));
    const deps = { outbound: openOutbound({ allowPrivate: true }), ...turn, secretFor: noSecrets };
    for (let call = 0; call < 3; call++) {
      expect((await runHttpTool(createHttpTool({ httpUrl: url }), {}, deps)).result).toBe("ok");
      await waitForNextTurn();
    }
    expect(seen.connections).toBe(1);
  });

  it("rejects with errors that are not its own", async () => {
    const secretFor = () => Promise.reject(new Error("database down"));
    const call = runHttpTool(
      createHttpTool({ httpUrl: "https://api.example/{{KEY}}" }),
      {},
      { ...turn, outbound: openOutbound(), secretFor },
    );
    await expect(call).rejects.toThrow("database down");
  });
});

describe("secrets in a response", () => {
  const values: Record<string, string> = {
    KEY: `sk "live"/+(é) \\%41&`,
    PIN: "90071992547409931234",
    SHORT: "v2",
    PADDED: "  padded value ",
  };
  const secretFor = async (name: string) => values[name] ?? null;

  async function startEcho(
    respond: (seen: { url: string; header: string }) => { type: string; body: string; status?: number },
  ) {
    const seen = { url: "", header: "" };
    const { url } = await startHttpServer((request, response) => {
      seen.url = request.url ?? "";
      seen.header = String(request.headers["x-key"]);
      const { type, body, status = 200 } = respond(seen);
      response.writeHead(status, { "content-type": type, location: body.replaceAll(/[^ -~]/g, "") }).end(body);
    });
    const headers = { "x-key": "{{KEY}}", "x-pin": "{{PIN}}", "x-short": "{{SHORT}}", "x-padded": "{{PADDED}}" };
    const tool = createHttpTool({ httpUrl: `${url}/{{KEY}}?pin={{PIN}}`, headers });
    const input = { copy: `my ${values.KEY}` };
    const outcome = await runHttpTool(tool, input, {
      ...turn,
      outbound: openOutbound({ allowPrivate: true }),
      secretFor,
    });
    expect(decodeURIComponent(seen.url)).toContain(values.KEY);
    expect(seen.header).toBe(values.KEY);
    return outcome;
  }

  const forms: [string, (value: string) => string][] = [
    ["as it is", (value) => value],
    ["percent-encoded", encodeURIComponent],
    [
      "percent-encoded in lower case",
      (value) => encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ["percent-encoded as an address", encodeURI],
    ["form-encoded", (value) => new URLSearchParams({ v: value }).toString()],
    ["as JSON", (value) => JSON.stringify({ v: value })],
    ["as JSON within JSON", (value) => JSON.stringify({ v: JSON.stringify({ v: value }) })],
    [
      "as JSON in \\u escapes",
      (value) => `{"v":"${value.replace(/./gs, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}"}`,
    ],
    ["as a name in JSON", (value) => JSON.stringify({ deep: [{ [value]: 1 }] })],
  ];

  it.each(forms)("are masked when they come back %s", async (_form, write) => {
    for (const value of [values.KEY ?? "", values.PIN ?? ""]) {
      for (const type of ["text/plain", "application/json"]) {
        for (const status of [200, 500]) {
          const outcome = await startEcho(() => ({ type, body: write(value), status }));
          expectNoSecret(outcome);
          expect(outcome.forModel).toContain("***");
        }
      }
    }
  });

  it("are masked when the URL or a header is echoed", async () => {
    const outcome = await startEcho((seen) => ({ type: "application/json", body: JSON.stringify(seen) }));
    expectNoSecret(outcome);
    expect(outcome.result).toEqual({ url: expect.stringContaining("/***?pin=***"), header: "***" });
    expectNoSecret(await startEcho((seen) => ({ type: "text/plain", body: seen.url })));
    expectNoSecret(await startEcho(() => ({ type: "text/plain", body: `got: ${values.PADDED?.trim()}.` })));
  });

  it("are masked as numbers of any length, while adjacent numbers stay unchanged", async () => {
    const outcome = await startEcho(() => ({
      type: "application/json",
      body: `{"pin":${values.PIN},"n":1.50,"s":"v2"}`,
    }));
    expect(JSON.stringify(outcome.result)).toBe('{"pin":"***","n":1.50,"s":"v2"}');
  });

  it("are masked when one starts within a false start of itself", async () => {
    const deps = { ...turn, outbound: openOutbound({ allowPrivate: true }), secretFor: async () => "aabaac" };
    const { url } = await startHttpServer(respondWith("text/plain", "aabaabaac aaabaac aabaacaabaac aaba"));
    const outcome = await runHttpTool(createHttpTool({ httpUrl: `${url}/?a={{KEY}}` }), {}, deps);
    expect(outcome.result).toBe("aab*** a*** ****** aaba");
  });

  it("are masked in the target of a redirect", async () => {
    const outcome = await startEcho((seen) => ({
      type: "text/plain",
      body: `http://other.example${seen.url}`,
      status: 302,
    }));
    expect(outcome.problem).toContain("http://other.example/***?pin=***");
    expectNoSecret(outcome);
  });

  it("are masked in the reported request, even when the input contains them", async () => {
    const { request } = await startEcho(() => ({ type: "text/plain", body: "ok" }));
    expect(request?.url).toContain("/{{KEY}}?pin={{PIN}}&copy=my%20***");
    expect(request?.headers).toMatchObject({ "x-key": "{{KEY}}", "x-pin": "{{PIN}}" });

    const { url } = await startHttpServer(respondWith("text/plain", "ok"));
    const deps = { ...turn, outbound: openOutbound({ allowPrivate: true }), secretFor };
    const fields = { httpUrl: url, headers: { "x-key": "{{KEY}}" } };
    const posted = await runHttpTool(createHttpTool({ ...fields, httpMethod: "POST" }), { copy: values.KEY }, deps);
    expect(posted.request?.body).toBe('{"copy":"***"}');
    const nested = await runHttpTool(createHttpTool(fields), { copy: { deep: values.KEY } }, deps);
    expect(decodeURIComponent(nested.request?.url ?? "")).toContain('?copy={"deep":"***"}');
  });

  function expectNoSecret(outcome: unknown) {
    const all = JSON.stringify(outcome);
    for (const value of [values.KEY ?? "", values.PIN ?? "", "padded value"]) {
      for (const [form, write] of forms.slice(0, 4)) {
        expect(all, form).not.toContain(write(value));
        expect(all, form).not.toContain(JSON.stringify(write(value)).slice(1, -1));
      }
    }
    expect(all).not.toContain("900719925474099");
  }
});

describe("hostile input", () => {
  it("reaches only the intended host in more than 200 combinations", async () => {
    const canary = await startCanary();
    const paths: string[] = [];
    const { url, seen } = await startHttpServer((request, response) => {
      paths.push(request.url ?? "");
      request.resume().on("end", () => response.end("ok"));
    });
    const deps = { outbound: openOutbound({ allowPrivate: true }), ...turn, secretFor: noSecrets };
    const combinations = positions.flatMap((position) =>
      listHostileValues(canary.port).map((value) => ({ position, value })),
    );
    expect(combinations.length).toBeGreaterThanOrEqual(200);

    for (const { position, value } of combinations) {
      const tool = createHttpTool({ httpUrl: url + position.path, httpMethod: position.method ?? "GET" });
      const before = paths.length;
      const outcome = await runHttpTool(tool, { p: value, [`${value}`]: value }, deps);
      const what = `${JSON.stringify(value)} in ${position.path}`;
      if (["", ".", ".."].includes(value) && position.isSegment) {
        expect(outcome, what).toMatchObject({ isError: true, request: null });
        expect(paths.length, what).toBe(before);
        continue;
      }
      expect(outcome, what).toMatchObject({ isError: false, result: "ok" });
      expect(paths.length, what).toBe(before + 1);
      const depth = position.path.split("?")[0]?.split("/").length;
      expect(paths.at(-1)?.split("?")[0]?.split("/"), what).toHaveLength(depth ?? 0);
    }
    expect(seen.connections).toBeGreaterThan(0);
    expect(canary.seen.connections).toBe(0);
  });
});

const positions: { path: string; method?: "POST"; isSegment?: boolean }[] = [
  { path: "/{p}", isSegment: true },
  { path: "/a/{p}/b", isSegment: true },
  { path: "/a{p}/b" },
  { path: "/a/{p}?x={p}", isSegment: true },
  { path: "/?q={p}" },
  { path: "/?{p}=1" },
  { path: "/" },
  { path: "/{p}", method: "POST", isSegment: true },
];

function listHostileValues(port: number): string[] {
  const evil = `127.0.0.2:${port}`;
  return [
    "",
    ".",
    "..",
    "...",
    "../..",
    "../../../etc/passwd",
    "%2e%2e",
    "%2E%2e%2f",
    "..;/",
    "..\\",
    ".\t.",
    ".\n.",
    `@${evil}`,
    `@${evil}/`,
    `:80@${evil}`,
    `user:password@${evil}`,
    `:${port}`,
    `.evil.example`,
    `//${evil}`,
    `/${evil}`,
    `\\\\${evil}\\`,
    `/\\${evil}`,
    `http://${evil}/`,
    `https:${evil}`,
    `#@${evil}`,
    `?@${evil}`,
    `\r\nHost: ${evil}\r\n\r\n`,
    `\nGET http://${evil}/ HTTP/1.1`,
    "\0",
    "\u0001\u001f\u007f",
    "\t",
    " ",
    "。",
    "．．",
    "／／evil.example",
    "＠evil.example",
    "％２ｅ",
    "\u2028",
    "\ud800",
    "👋",
    "ｅｖｉｌ",
    "\ufeff",
    "{p}",
    "{{KEY}}",
    "$" + "{p}",
    "$&",
    "$1",
    "%",
    "%zz",
    "%00",
    "&x=y",
    "=",
    ";",
    "+",
    "javascript:alert(1)",
    "169.254.169.254",
    `[::1]:${port}`,
    "x".repeat(2_000),
  ];
}

describe("the input sent by an HTTP tool", () => {
  const echo: RequestListener = (request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(request.url);
  };
  const properties = { order: { type: "string" }, note: { type: "string" }, Tenant: { type: "string" } };
  const send = async (inputSchema: object, input: Record<string, unknown>) => {
    const { url } = await startHttpServer(echo);
    const tool = createHttpTool({ httpUrl: `${url}/orders/{order}?tenant=acme` });
    const outbound = openOutbound({ allowPrivate: true });
    const sent = { ...tool, inputSchema: JSON.stringify(inputSchema) };
    return (await runHttpTool(sent, input, { outbound, ...turn, secretFor: noSecrets })).result;
  };

  it("is limited to declared properties and never overrides a parameter of the template", async () => {
    const input = { order: "1", note: "n", tenant: "other", Tenant: "other", "tenant[]": "other", key: "x" };
    expect(await send({ type: "object", properties }, input)).toBe("/orders/1?tenant=acme&note=n");
  });

  it("keeps the order of its names", async () => {
    const body = '{"b":1,"10":2,"a":{"3":4,"1":5}}';
    const repeat: RequestListener = (request, response) => void request.pipe(response);
    const input = parseToolInput(body) as Record<string, unknown>;
    const { result } = await run(repeat, { httpMethod: "POST" }, input);
    expect(JSON.stringify(result)).toBe(body);
  });

  it("includes undeclared names only when the schema allows additional properties", async () => {
    const input = { order: "1", tenant: "other", color: "red" };
    expect(await send({ type: "object", properties, additionalProperties: true }, input)).toBe(
      "/orders/1?tenant=acme&color=red",
    );
  });
});
