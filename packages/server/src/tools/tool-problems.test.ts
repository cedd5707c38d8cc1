import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

let server: TestServer;
let account: Awaited<ReturnType<TestServer["createAccount"]>>;
let agentId: string;
let tools = 0;

beforeAll(async () => {
  server = await startServer();
  account = await server.createAccount();
  agentId = (await account.call("POST", "/agents", { name: "Harbour" })).body.data.id;
});
afterAll(() => server.stop());

const properties = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});

function create(settings: object) {
  const name = `tool_${String.fromCharCode(97 + tools++)}`;
  return account.call("POST", "/tools", {
    agentId,
    name,
    description: "Finds",
    inputSchema: properties(),
    ...settings,
  });
}
const http = (httpUrl: string, more: object = {}) => create({ executionType: "http", httpUrl, ...more });

describe("an httpUrl", () => {
  it("is refused with one detail for each placeholder that the input schema lacks", async () => {
    const refused = await http("https://api.example.com/{shop}/{size}?{key}={{TOKEN}}", {
      inputSchema: properties("size"),
    });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "VALIDATION_ERROR",
          details: ["shop", "key"].map((name) => ({
            path: "httpUrl",
            code: "unknown_reference",
            message: `uses {${name}}, which is not a property of inputSchema`,
          })),
        },
      },
    });
  });

  it("is checked again when the input schema or the URL of a saved tool changes, but not otherwise", async () => {
    const { body: tool } = await http("https://api.example.com/{shop}", { inputSchema: properties("shop") });
    const change = async (changes: object) => (await account.call("PUT", `/tools/${tool.id}`, changes)).status;
    expect(await change({ inputSchema: properties("size") })).toBe(400);
    expect(await change({ httpUrl: "https://api.example.com/{size}" })).toBe(400);
    expect(await change({ httpUrl: "https://api.example.com/{size}", inputSchema: properties("size") })).toBe(200);
    const stored = { httpUrl: "https://api.example.com/{from_before}" };
    await server.deps.db.updateTable("tools").set(stored).where("id", "=", tool.id).execute();
    expect(await change({ description: "Looks up" })).toBe(200);
  });

  it("can have any placeholder when the schema accepts additional properties", async () => {
    const inputSchema = { ...properties(), additionalProperties: true };
    expect((await http("https://api.example.com/{anything}", { inputSchema })).status).toBe(201);
  });
});

it("a tool with several problems is refused with all of them at once", async () => {
  const fields = [
    { name: "size", label: "Size", type: "select" },
    { name: "size", label: "Size", type: "text", validation: { min: { value: 1 } } },
  ];
  const { status, body } = await create({
    executionType: "form",
    formSchema: { fields },
    formPostActions: [{ type: "email" }, { type: "slack", webhookUrl: "" }],
  });
  expect(status).toBe(400);
  expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([
    "formSchema.fields.0.options",
    "formSchema.fields.1.name",
    "formSchema.fields.1.validation.min",
    "formPostActions.0.recipientIds",
    "formPostActions.1.webhookUrl",
    "formPostActions.1.messageTemplate",
  ]);
});

it("a tool warns about secrets that do not exist or are not sent to its host", async () => {
  await account.call("PUT", "/secrets/BOUND", { value: "value of it", hosts: ["crm.example.com"] });
  const headers = { "x-key": "{{MISSING}}", "x-bound": "Bearer {{BOUND}}" };
  const { body: tool } = await http("https://api.example.com/?t={{TOKEN}}", {
    httpHeaders: headers,
    resultFor: "model",
  });
  const warnings = [
    { path: "httpUrl", message: "There is no secret named TOKEN, so calls fail." },
    { path: "httpHeaders.x-key", message: "There is no secret named MISSING, so calls fail." },
    {
      path: "httpHeaders.x-bound",
      message: "The secret BOUND is not sent to api.example.com, only to crm.example.com.",
    },
  ];
  expect(tool.warnings).toEqual(warnings);
  for (const name of ["TOKEN", "MISSING"]) await account.call("PUT", `/secrets/${name}`, { value: "value of it" });
  await account.call("PUT", "/secrets/BOUND", { value: "value of it", hosts: ["api.example.com"] });
  expect((await account.call("GET", `/tools/${tool.id}`)).body.warnings).toEqual([]);
});

describe("an HTTP tool", () => {
  const shown = { path: "resultFor", message: expect.stringContaining("Visitors can read the complete response.") };
  const warningsWith = async (settings: object) =>
    (await http("https://api.example.com/stock", settings)).body.warnings;

  it("warns that visitors can read its complete response unless a setting prevents it", async () => {
    expect(await warningsWith({})).toEqual([shown]);
    expect(await warningsWith({ displayConfig: { type: "text" } })).toEqual([shown]);
  });

  it.each([
    { resultFor: "model" },
    { resultFor: "visitor" },
    { displayConfig: { type: "text", fieldMappings: { text: "inStock" } } },
    { displayConfig: { type: "product_card", fieldMappings: { title: "name" } } },
  ])("with %j does not warn about its response", async (settings) => {
    expect(await warningsWith(settings)).toEqual([]);
  });

  it("keeps the warning until it is changed", async () => {
    const { body: tool } = await http("https://api.example.com/stock", {});
    expect((await account.call("GET", `/tools/${tool.id}`)).body.warnings).toEqual([shown]);
    expect((await account.call("PUT", `/tools/${tool.id}`, { resultFor: "model" })).body.warnings).toEqual([]);
  });
});

it("a tool's agent can be named in the query, and only one of the own organization", async () => {
  const body = { name: "by_query", description: "Finds", executionType: "mock", inputSchema: properties() };
  const created = await account.call("POST", `/tools?agentId=${agentId}`, body);
  expect(created).toMatchObject({ status: 201, body: { agentId } });
  const stranger = await server.createAccount();
  expect((await stranger.call("POST", `/tools?agentId=${agentId}`, body)).status).toBe(404);
});
