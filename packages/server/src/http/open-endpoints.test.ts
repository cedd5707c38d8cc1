import * as contract from "@foyer/contract";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

type Json = { [name: string]: Json };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ env: { FOYER_METRICS_TOKEN: "token-for-prometheus" } });
});
afterAll(() => server.stop());

const get = (url: string, remoteAddress = "127.0.0.1", headers = {}) =>
  server.app.inject({ url, remoteAddress, headers });

describe("health endpoints", () => {
  it("tell everyone whether the process is up and ready", async () => {
    const [up, ready] = [await get("/healthz", "203.0.113.9"), await get("/readyz", "203.0.113.9")];
    expect([up.statusCode, up.json()]).toEqual([200, { status: "ok" }]);
    expect([ready.statusCode, ready.json()]).toEqual([200, { status: "ready" }]);
  });

  it("report not ready during shutdown and without a database", async () => {
    const draining = await startServer();
    await draining.drain();
    const broken = await startServer();
    await broken.deps.db.destroy();
    for (const { app } of [draining, broken]) {
      expect((await app.inject({ url: "/healthz" })).statusCode).toBe(200);
      const response = await app.inject({ url: "/readyz" });
      expect(response.statusCode).toBeGreaterThanOrEqual(500);
      expect(response.json()).toEqual({ data: null, error: { code: expect.any(String), message: expect.any(String) } });
      expect(response.body).not.toMatch(/sqlite|destroyed|driver/i);
    }
    // The number of waiting visitors is unknown, but everything else is still measured.
    const metrics = await broken.app.inject({ url: "/metrics" });
    expect([metrics.statusCode, metrics.body]).toEqual([200, expect.stringMatching(/^foyer_handoffs_waiting nan$/im)]);
    await draining.stop();
    await broken.drain();
    await broken.app.close();
  });
});

describe("metrics", () => {
  const forwarded = { "x-forwarded-for": "127.0.0.1" };
  it.each([
    ["this machine", "127.0.0.1", {}, 200],
    ["this machine by IPv6", "::1", {}, 200],
    ["this machine by a mapped address", "::ffff:127.0.0.1", {}, 200],
    ["another machine", "203.0.113.9", {}, 403],
    ["another machine that is private", "10.0.0.1", {}, 403],
    ["somebody behind a proxy on this machine", "127.0.0.1", forwarded, 403],
    ["somebody behind a proxy that sends Forwarded", "127.0.0.1", { forwarded: "for=203.0.113.9" }, 403],
    ["somebody behind a proxy that sends X-Real-IP", "127.0.0.1", { "x-real-ip": "203.0.113.9" }, 403],
    ["somebody who claims to be here", "203.0.113.9", forwarded, 403],
    ["another machine with a wrong token", "203.0.113.9", { authorization: "Bearer token-for-prometheuS" }, 403],
  ])("are available for %s", async (_, address, headers, status) => {
    const response = await get("/metrics", address, headers);
    expect(response.statusCode).toBe(status);
    if (status === 200) expect(response.body).toMatch(/^foyer_http_request_duration_seconds_count\{.*\} \d+$/m);
    else expect(response.json()).toEqual({ data: null, error: { code: "FORBIDDEN", message: expect.any(String) } });
  });

  it("are available from anywhere with the token", async () => {
    const response = await get("/metrics", "203.0.113.9", {
      ...forwarded,
      authorization: "Bearer token-for-prometheus",
    });
    expect([response.statusCode, response.headers["content-type"]]).toEqual([
      200,
      expect.stringMatching(/^text\/plain/),
    ]);
  });

  it("contain routes instead of URLs, so that callers cannot increase their number", async () => {
    await get("/nothing-of-that-name");
    await get("/agents/agent_of-that-name");
    const { body } = await get("/metrics");
    expect(body).not.toContain("of-that-name");
    expect(body).toContain('route="/agents/:id"');
  });
});

describe("the API description", () => {
  let document: Json;
  beforeAll(async () => {
    const response = await get("/openapi.json", "203.0.113.9");
    expect(response.statusCode).toBe(200);
    document = response.json();
  });

  const methods = ["get", "post", "put", "patch", "delete"];
  const listOperations = () =>
    Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    );

  it("is OpenAPI 3.1", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: "Foyer", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    for (const { path, method, operation } of listOperations()) {
      const name = `${method} ${path}`;
      expect(methods, name).toContain(method);
      expect(operation.summary, name).toBeTruthy();
      expect(operation.tags, name).toHaveLength(1);
      const names = (operation.parameters as unknown as Json[] | undefined) ?? [];
      const inPath = names.filter((parameter) => String(parameter.in) === "path").map(({ name }) => `{${name}}`);
      expect(inPath, name).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        expect(status, name).toMatch(/^([1-5]\d\d|[1-5]XX|default)$/);
        expect((resolve(document, response) as Json).description, name).toBeTypeOf("string");
      }
    }
  });

  it("has every endpoint of the contract with its access and errors", () => {
    const known = Object.keys(document.components?.securitySchemes ?? {});
    const endpoints = Object.values(contract).flatMap((value) =>
      typeof value === "object" && "method" in value && "url" in value ? [value] : [],
    );
    expect(endpoints.length).toBeGreaterThan(10);
    for (const { method, url, config } of endpoints) {
      const operation = document.paths?.[url.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
      expect(operation, `${method} ${url}`).toBeDefined();
      const security = operation?.security as unknown as Json[];
      expect(security.flatMap(Object.keys).every((name) => known.includes(name))).toBe(true);
      expect(security).toHaveLength(
        { public: 0, visitor: 4, account: 2, conversation: 3, session: 1, user: 1 }[config.access],
      );
      const failure = resolve(document, operation?.responses?.["4XX"]) as Json;
      expect(resolve(document, failure.content?.["application/json"]?.schema), `${method} ${url}`).toMatchObject({
        required: ["data", "error"],
      });
    }
  });

  it("passes the OpenAPI validator and starts with Agents and Chat", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
    expect(valid, JSON.stringify(errors)?.slice(0, 2_000)).toBe(true);
    const groups = [...new Set(listOperations().map(({ operation }) => String(operation.tags?.[0])))];
    expect(groups.slice(0, 3)).toEqual(["Agents", "Chat", "Conversations"]);
    expect(groups).toEqual((document.tags as unknown as { name: string }[]).map(({ name }) => name));
  });

  it("describes each chat event, form webhooks, files, CSV and rate limits", () => {
    const schemas = document.components?.schemas ?? {};
    const events = schemas.ChatEvent as unknown as { oneOf: { $ref: string }[] };
    const types = events.oneOf.map((event) => (resolve(document, event) as Json).properties?.type?.enum?.["0"]);
    expect(types).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "tool_use_start",
      "tool_result",
      "notice",
      "sources",
      "suggestions",
      "error",
      "message_stop",
    ]);
    const readSuccess = (path: string, method: string) => document.paths?.[path]?.[method]?.responses?.["200"] as Json;
    expect(Object.keys(readSuccess("/form-submissions", "get").content ?? {})).toEqual([
      "application/json",
      "text/csv",
    ]);
    expect(readSuccess("/form-submissions/{id}/files/{name}", "get").content).toHaveProperty("*/*");
    for (const [path, method] of [
      ["/chat", "post"],
      ["/doctor/stream", "get"],
    ] as const) {
      expect(readSuccess(path, method).content, path).toHaveProperty("text/event-stream");
    }
    expect(Object.keys(readSuccess("/agents", "get").headers ?? {})).toContain("X-RateLimit-Remaining");
    expect(JSON.stringify(document.webhooks)).toContain("webhook-signature");
  });

  it("spells out the conditions of each trigger type and the settings of each action", async () => {
    const body = document.paths?.["/triggers"]?.post?.requestBody as Json;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const check = ajv.compile(body.content?.["application/json"]?.schema as object);
    const validateTrigger = (triggerType: string, conditions: object, actionType = "open_chat", actionConfig = {}) =>
      check({ name: "T", triggerType, conditions, actionType, actionConfig });
    expect(validateTrigger("time_on_page", { timeOnPage: 5 })).toBe(true);
    expect(validateTrigger("time_on_page", { scrollDepth: 5 })).toBe(false);
    expect(validateTrigger("exit_intent", {}, "show_bubble", { message: "Hi" })).toBe(true);
    expect(validateTrigger("exit_intent", {}, "show_bubble")).toBe(false);
  });

  it("requires a tool's executionType, and has formats for addresses and instants", () => {
    const readBodySchema = (path: string, method: string) => {
      const body = document.paths?.[path]?.[method]?.requestBody;
      return resolve(document, body?.content?.["application/json"]?.schema) as Json;
    };
    const readFormat = (path: string, name: string) => readBodySchema(path, "post").properties?.[name]?.format;
    expect(readBodySchema("/tools", "post").required).toContain("executionType");
    expect(readBodySchema("/tools/{id}", "put").required ?? []).not.toContain("executionType");
    expect(readFormat("/invitations", "email")).toBe("email");
    expect(readFormat("/documents", "url")).toBe("uri");
    expect(readFormat("/tools", "formWebhookUrl")).toBe("uri");
    expect(document.components?.schemas?.Agent?.properties?.createdAt?.format).toBe("date-time");
  });

  it("has a valid example for every operation with a JSON body", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", ...document });
    const withBody = listOperations().filter(({ operation }) => operation.requestBody);
    expect(withBody.length).toBeGreaterThan(25);
    for (const { operation } of withBody) {
      if (String(operation.operationId) === "uploadAttachment") {
        expect(Object.keys(operation.requestBody?.content ?? {})).toEqual([
          "application/octet-stream",
          "multipart/form-data",
        ]);
        continue;
      }
      if (String(operation.operationId) === "uploadDocument") {
        const bytes = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
        expect(operation.requestBody?.content).toEqual(bytes);
        continue;
      }
      const { schema, example } = operation.requestBody?.content?.["application/json"] ?? {};
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
      expect(example, String(operation.operationId)).toBeTypeOf("object");
      expect(ajv.validate(absolute, example), `${operation.operationId}: ${ajv.errorsText()}`).toBe(true);
    }
  });

  it("describes every request field of every operation", () => {
    const fields = listOperations().flatMap(({ operation }) => listRequestFields(document, operation));
    expect(fields.length).toBeGreaterThan(400);
    expect(fields.filter(({ description }) => !/^\S.{7,}/.test(description)).map(({ name }) => name)).toEqual([]);
  });

  it("names every operation like the contract and the SDK", () => {
    const names = new Map<string, string>();
    for (const [name, value] of Object.entries(contract)) {
      if (typeof value !== "object" || !("method" in value && "url" in value)) continue;
      names.set(`${value.method.toLowerCase()} ${value.url.replace(/:(\w+)/g, "{$1}")}`, name);
    }
    for (const { path, method, operation } of listOperations()) {
      expect(operation.operationId, `${method} ${path}`).toBe(names.get(`${method} ${path}`));
    }
  });

  it("has only valid references and no internal schemas", () => {
    const references = [...findReferences(document)];
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) expect(resolve(document, { $ref: reference }), reference).toBeDefined();
    expect(JSON.stringify(document)).not.toMatch(/"\$id"|def-\d/);
  });

  it("can be read at /docs with all files that the page loads", async () => {
    const page = await get("/docs", "203.0.113.9");
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    const loaded = [...page.body.matchAll(/(?:src|href)="(\.?\/[^"]+)"/g)].map(([, path]) => path ?? "");
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) {
      const { pathname } = new URL(path, "http://localhost/");
      expect((await get(pathname)).statusCode, pathname).toBe(200);
    }
  });
});

function* findReferences(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (name === "$ref") yield String(child);
    else yield* findReferences(child);
  }
}

function resolve(document: Json, schema: unknown): unknown {
  const reference = (schema as { $ref?: string } | undefined)?.$ref;
  if (reference === undefined) return schema;
  expect(reference).toMatch(/^#\//);
  return reference
    .slice(2)
    .split("/")
    .reduce<Json | undefined>((at, name) => at?.[name], document);
}

describe("an unknown URL", () => {
  it("gets a small page for browsers and JSON for other clients", async () => {
    const page = await get("/nothing-here", "127.0.0.1", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" });
    expect([page.statusCode, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.body).toContain("Page not found");
    const json = await get("/nothing-here", "127.0.0.1", { accept: "*/*" });
    expect([json.statusCode, json.json().error.code]).toEqual([404, "NOT_FOUND"]);
  });
});

describe("private responses", () => {
  it("are not cached and cannot be embedded by other origins, unlike those for visitors' pages", async () => {
    const { headers } = await server.createAccount();
    const { headers: own } = await get("/agents", "127.0.0.1", headers);
    expect([own["cache-control"], own["cross-origin-resource-policy"]]).toEqual(["no-store", "same-origin"]);
    const { headers: widget } = await get("/triggers/widget/agent_x");
    expect(widget["cross-origin-resource-policy"]).toBe("cross-origin");
  });
});

/** Every parameter, and every property of the body at any depth, with its description. */
function listRequestFields(document: Json, operation: Json): { name: string; description: string }[] {
  const id = String(operation.operationId);
  const parameters = (operation.parameters as unknown as Json[] | undefined) ?? [];
  const inBody = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
    listProperties(document, schema, `${id} `),
  );
  return [
    ...parameters.map((parameter) => describeField(`${id} ${parameter.in} ${parameter.name}`, parameter)),
    ...inBody,
  ];
}

function listProperties(
  document: Json,
  reference: Json | undefined,
  path: string,
): { name: string; description: string }[] {
  const schema = resolve(document, reference) as Json | undefined;
  if (typeof schema !== "object") return [];
  const variants = [schema.oneOf, schema.anyOf, schema.allOf].flatMap((list) => (list as unknown as Json[]) ?? []);
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) => [
      describeField(`${path}${name}`, { ...(resolve(document, child) as Json), ...child }),
      ...listProperties(document, child, `${path}${name}.`),
    ]),
    ...variants.flatMap((variant) => listProperties(document, variant, path)),
    ...listProperties(document, schema.items, path),
    ...listProperties(document, schema.additionalProperties, path),
  ];
}

const describeField = (name: string, { description }: Json) => ({ name, description: String(description ?? "") });
