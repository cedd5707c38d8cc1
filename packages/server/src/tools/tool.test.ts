import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { newId } from "../ids.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

const inputSchema = { type: "object", properties: { size: { type: "string", enum: ["S", "M"] } }, required: ["size"] };
const field = (name: string, more: object = {}) => ({ name, label: name, type: "text", ...more });

onBothDatabases("tools", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Account;
  let agentId: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    owner = await server.createAccount();
  });
  beforeEach(async () => {
    agentId = await createAgent(owner);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const call = (method: Parameters<Account["call"]>[0], url: string, body?: object, account = owner) =>
    account.call(method, url, body);
  const mock = (more: object = {}) => ({
    agentId,
    name: "check_stock",
    description: "Looks up the stock",
    executionType: "mock",
    inputSchema,
    ...more,
  });
  const create = (more: object = {}, account = owner) => call("POST", "/tools", mock(more), account);

  it("are created with defaults, read back and listed in creation order", async () => {
    const { status, body } = await create({ mockResponse: "Three." });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^tool_[0-9a-z]{26}$/),
      ...mock({ mockResponse: "Three." }),
      isEnabled: true,
      label: null,
      requires: null,
      resultFor: "both",
      displayConfig: null,
      httpUrl: null,
      httpMethod: null,
      httpHeaders: null,
      clientResultSchema: null,
      httpBody: null,
      sendVisitorToken: false,
      formSchema: null,
      formExecutionMode: null,
      formWebhookUrl: null,
      formClientHandler: null,
      formPostActions: null,
      formConfirmation: null,
      warnings: [],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.createdAt,
    });
    const second = await create({ name: "opening_hours" });
    expect(second.body.mockResponse).toBe("");
    expect((await call("GET", `/tools/${body.id}`)).body).toEqual(body);
    expect((await call("GET", `/tools?agentId=${agentId}`)).body).toEqual([body, second.body]);
  });

  it("of kind http need a URL and call it with GET", async () => {
    const http = { name: "look_up", executionType: "http" };
    expect((await create(http)).body.error.details).toMatchObject([{ path: "httpUrl", message: expect.any(String) }]);
    const { status, body } = await create({
      ...http,
      httpUrl: "https://api.example.com/stock/{size}",
      httpHeaders: { Authorization: "Bearer {{API_KEY}}" },
      displayConfig: { type: "product_card", fieldMappings: { title: "name" }, options: { showPrice: true } },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      httpMethod: "GET",
      httpUrl: "https://api.example.com/stock/{size}",
      httpHeaders: { Authorization: "Bearer {{API_KEY}}" },
      displayConfig: { type: "product_card", fieldMappings: { title: "name" }, options: { showPrice: true } },
    });
  });

  it("of kind form keep all settings of a form in both spellings", async () => {
    const form = { name: "test_ride", executionType: "form" };
    expect((await create(form)).body.error.details).toMatchObject([
      { path: "formSchema", message: expect.any(String) },
    ]);
    const fields = [
      field("email", {
        type: "email",
        defaultValue: "{{user.email}}",
        validation: { required: { value: true, message: "Please." } },
      }),
      field("bike", { type: "select", options: [{ label: "City", value: "city" }] }),
      field("day", { type: "date", validation: { min: { value: "2026-01-01", message: "Too early." } } }),
    ];
    const postActions = [
      { type: "webhook", webhookUrl: "https://hooks.example.com/1", payload: { mail: "{{email}}" } },
      { type: "slack", webhookUrl: "https://hooks.example.com/2", message: "{{_toolName}}: {{email}}" },
    ];
    const { status, body } = await create({
      ...form,
      formSchema: { fields, submitLabel: "Book" },
      formWebhookUrl: "https://hooks.example.com/0",
      formExecutionMode: "both",
      formClientHandler: "onRide",
      formPostActions: postActions,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ formSchema: { fields, submitLabel: "Book" }, formExecutionMode: "both" });
    expect(body.formPostActions).toEqual(postActions);
    const { executionType: _, ...rest } = mock({ name: "other_form" });
    const other = await call("POST", "/tools", { ...rest, type: "form", formFieldsSchema: fields });
    expect(other.status).toBe(201);
    expect(other.body).toMatchObject({ executionType: "form", formSchema: { fields }, formExecutionMode: "webhook" });
    expect(other.body).not.toHaveProperty("type");
    expect(other.body).not.toHaveProperty("formFieldsSchema");
  });

  it("return the default display type and the default texts of a form", async () => {
    const shown = await create({ displayConfig: {} });
    expect(shown.body.displayConfig).toEqual({ type: "text" });
    const form = await create({ name: "contact", executionType: "form", formSchema: { fields: [field("a")] } });
    const texts = { submitLabel: "Submit", successMessage: "Submitted", errorMessage: "Error" };
    expect(form.body.formSchema).toEqual({ fields: [field("a")], ...texts });
    expect((await call("GET", `/triggers/form/${form.body.id}`)).body.formSchema).toEqual(form.body.formSchema);
  });

  it("keep display slots and options that their display type does not use", async () => {
    const displayConfig = {
      type: "image",
      fieldMappings: { url: "src" },
      options: { showPrice: true, showRating: true, columns: 3 },
    };
    const { status, body } = await create({ displayConfig });
    expect([status, body.displayConfig]).toEqual([201, displayConfig]);
  });

  it("accept null for every optional part at any depth and leave it out of the response", async () => {
    const optional = { placeholder: null, defaultValue: null, disabled: null, options: null };
    const rules = { required: { value: true, message: null }, minLength: null, pattern: null };
    const formSchema = {
      fields: [field("a", { ...optional, validation: rules }), field("b", { ...optional, validation: null })],
      submitLabel: null,
      successMessage: null,
      errorMessage: null,
    };
    const { status, body } = await create({
      executionType: "form",
      inputSchema: {
        type: "object",
        properties: { a: { type: "string", description: null, enum: null } },
        required: null,
      },
      displayConfig: { type: null, fieldMappings: { title: null, text: "a" }, options: null },
      formSchema,
      formPostActions: [{ type: "webhook", url: "https://hooks.example.com/1", headers: null, payload: { a: null } }],
    });
    expect([status, body]).toMatchObject([201, {}]);
    expect(body).toMatchObject({
      inputSchema: { type: "object", properties: { a: { type: "string" } } },
      displayConfig: { type: "text", fieldMappings: { text: "a" } },
      formPostActions: [{ type: "webhook", url: "https://hooks.example.com/1", payload: { a: null } }],
    });
    expect(body.formSchema.fields).toEqual([field("a", { validation: { required: { value: true } } }), field("b")]);
    expect(JSON.stringify([body.formSchema, body.displayConfig, body.inputSchema])).not.toContain("null");
  });

  it("accept integer as a property type and return a number with multipleOf 1", async () => {
    const { body } = await create({ inputSchema: { type: "object", properties: { count: { type: "integer" } } } });
    expect(body.inputSchema).toEqual({ type: "object", properties: { count: { type: "number", multipleOf: 1 } } });
    const test = async (count: number) =>
      (await call("POST", `/tools/${body.id}/test`, { input: { count } })).body.isError;
    expect([await test(2), await test(2.5)]).toEqual([false, true]);
  });

  it("are updated field by field; null clears a field, and the result is validated as a whole", async () => {
    const { body: tool } = await create({ mockResponse: "Three.", displayConfig: { type: "text" } });
    const changed = await call("PUT", `/tools/${tool.id}`, {
      isEnabled: false,
      displayConfig: null,
      agentId: "agent_x",
    });
    expect(changed.body).toMatchObject({ isEnabled: false, displayConfig: null, mockResponse: "Three.", agentId });
    expect((await call("PUT", `/tools/${tool.id}`, { isEnabled: null })).body.isEnabled).toBe(true);
    expect((await call("PUT", `/tools/${tool.id}`, { executionType: "http" })).status).toBe(400);
    const http = await call("PUT", `/tools/${tool.id}`, { executionType: "http", httpUrl: "https://api.example.com/" });
    expect(http.body).toMatchObject({ executionType: "http", httpMethod: "GET" });
    expect((await call("PUT", `/tools/${tool.id}`, { httpUrl: null })).status).toBe(400);
    expect((await call("GET", `/tools/${tool.id}`)).body).toEqual(http.body);
  });

  it("have unique names within an agent", async () => {
    const { body: first } = await create();
    const again = await create();
    expect(again).toMatchObject({ status: 400, body: { error: { code: "DUPLICATE_TOOL_NAME" } } });
    const { body: second } = await create({ name: "other_name" });
    expect((await call("PUT", `/tools/${second.id}`, { name: "check_stock" })).body.error.code).toBe(
      "DUPLICATE_TOOL_NAME",
    );
    expect((await call("PUT", `/tools/${first.id}`, { name: "check_stock" })).status).toBe(200);
    expect((await create({ agentId: await createAgent(owner) })).status).toBe(201);
  });

  it.each([
    [{ name: "Check Stock" }, "name"],
    [{ name: "stock2" }, "name"],
    [{ name: "" }, "name"],
    [{ name: "a".repeat(65) }, "name"],
    [{ description: " " }, "description"],
    [{ executionType: "soap" }, "executionType"],
    [{ executionType: undefined }, "executionType"],
    [{ inputSchema: { type: "array" } }, "inputSchema"],
    [{ inputSchema: { type: "object", properties: { a: { $ref: "#" } } } }, "inputSchema"],
    [{ executionType: "http", httpUrl: "ftp://example.com" }, "httpUrl"],
    [{ executionType: "http", httpUrl: "https://{host}.example.com" }, "httpUrl"],
    [{ executionType: "http", httpUrl: "http://169.254.169.254/latest" }, "httpUrl"],
    [{ executionType: "http", httpUrl: "https://example.com", httpHeaders: { Host: "evil.example" } }, "httpHeaders"],
    [{ executionType: "http", httpUrl: "https://example.com", httpHeaders: { A: "b\r\nC: d" } }, "httpHeaders"],
    [{ executionType: "http", httpUrl: "https://example.com", httpMethod: "PATCH" }, "httpMethod"],
    [{ executionType: "form", formSchema: { fields: [] } }, "formSchema"],
    [{ executionType: "form", formSchema: { fields: [field("a"), field("a")] } }, "formSchema"],
    [{ executionType: "form", formSchema: { fields: [field("a", { type: "select" })] } }, "formSchema"],
    [
      {
        executionType: "form",
        formSchema: { fields: [field("a", { validation: { pattern: { value: "^(?=(a+)+$)" } } })] },
      },
      "formSchema",
    ],
    [{ executionType: "form", formSchema: { fields: [field("a")] }, formWebhookUrl: "javascript:1" }, "formWebhookUrl"],
    [
      {
        executionType: "form",
        formSchema: { fields: [field("a")] },
        formPostActions: [{ type: "email", recipientIds: ["user_x"] }],
      },
      "formPostActions",
    ],
    [{ displayConfig: { type: "hologram" } }, "displayConfig"],
    [{ displayConfig: { type: "image", fieldMappings: { image: "a..b" } } }, "displayConfig"],
  ])("are refused for %j", async (wrong, path) => {
    const { status, body } = await create(wrong);
    expect(status).toBe(400);
    expect(body.error.details[0].path).toMatch(new RegExp(`^${path}(\\.|$)`));
    expect((await call("GET", `/tools?agentId=${agentId}`)).body).toEqual([]);
  });

  it("are duplicated under a free name within the plan's limit, with their own webhook secret", async () => {
    const free = await server.createAccount("free");
    const agent = await createAgent(free);
    const form = { name: "test_ride", executionType: "form", formSchema: { fields: [field("email")] } };
    const source = (await create({ agentId: agent, ...form }, free)).body;
    const duplicate = (account = free) => call("POST", `/tools/${source.id}/duplicate`, undefined, account);
    const [first, second] = [await duplicate(), await duplicate()];
    expect([first.status, second.status]).toEqual([201, 201]);
    const { id, createdAt, updatedAt } = first.body;
    expect(id).not.toBe(source.id);
    expect(first.body).toEqual({ ...source, id, createdAt, updatedAt, name: "test_ride_copy" });
    expect(second.body.name).toBe("test_ride_copy_b");
    const secret = async (tool: string) =>
      (await call("GET", `/tools/${tool}/webhook-secret`, undefined, free)).body.secret as string;
    expect(await secret(id)).not.toBe(await secret(source.id));
    expect((await duplicate()).body.error.code).toBe("TOOL_LIMIT_REACHED");
    expect((await duplicate(owner)).status).toBe(404);
  });

  it("are limited exactly by the plan, even when created concurrently", async () => {
    const free = await server.createAccount("free");
    const agent = await createAgent(free);
    const limits = async () => (await call("GET", `/tools/limits?agentId=${agent}`, undefined, free)).body;
    expect(await limits()).toEqual({ current: 0, limit: 3, planId: "free", canCreate: true });
    const names = ["a", "b", "c", "d", "e", "f"];
    const made = await Promise.all(names.map((name) => create({ agentId: agent, name }, free)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403]);
    expect(made.find(({ status }) => status === 403)?.body.error.code).toBe("TOOL_LIMIT_REACHED");
    expect(await limits()).toEqual({ current: 3, limit: 3, planId: "free", canCreate: false });
    expect((await call("GET", "/tools/limits", undefined, free)).body.current).toBe(3);
    expect((await call("GET", "/tools/limits")).body).toMatchObject({ limit: null, planId: "pro", canCreate: true });
  });

  it("of one agent can have at most 8 MiB in total", async () => {
    const large = {
      inputSchema: { ...inputSchema, description: "x".repeat(60_000) },
      mockResponse: "x".repeat(100_000),
    };
    const { db } = server.deps;
    const first = (await create(large)).body;
    const row = await db.selectFrom("tools").selectAll().where("id", "=", first.id).executeTakeFirstOrThrow();
    const letters = "abcdefghijklmnopqrstuvwxyz";
    const copies = Array.from({ length: 51 }, (_, index) => {
      const name = `copy_${letters[index % 26]}${letters[Math.floor(index / 26)]}`;
      return { ...row, id: newId("tool"), name };
    });
    await db.insertInto("tools").values(copies).execute();
    const refused = await create({ ...large, name: "one_more" });
    expect([refused.status, refused.body.error.code]).toEqual([409, "CONFLICT"]);
    expect(refused.body.error.message).toContain("at most 8 MiB in total");
    expect((await call("GET", `/tools/limits?agentId=${agentId}`)).body.current).toBe(52);
    const small = (await create({ name: "small" })).body;
    expect((await call("PUT", `/tools/${small.id}`, large)).status).toBe(409);
    expect((await call("GET", `/tools/${small.id}`)).body).toEqual(small);
  });

  it("are removed when deleted, and an unknown agent has none", async () => {
    const { body: tool } = await create();
    expect(await call("DELETE", `/tools/${tool.id}`)).toEqual({ status: 200, body: { success: true } });
    expect((await call("DELETE", `/tools/${tool.id}`)).status).toBe(404);
    expect((await create({ agentId: "agent_01h455vb4pex5vsknk084sn02q" })).status).toBe(404);
    expect((await call("GET", "/tools?agentId=agent_01h455vb4pex5vsknk084sn02q")).status).toBe(404);
  });

  it("are invisible to other organizations", async () => {
    const { body: tool } = await create();
    const stranger = await server.createAccount();
    const unknown = await call("GET", "/tools/tool_01h455vb4pex5vsknk084sn02q", undefined, stranger);
    expect(unknown.status).toBe(404);
    expect(await call("GET", `/tools/${tool.id}`, undefined, stranger)).toEqual(unknown);
    expect(await call("PUT", `/tools/${tool.id}`, { name: "stolen" }, stranger)).toEqual(unknown);
    expect(await call("DELETE", `/tools/${tool.id}`, undefined, stranger)).toEqual(unknown);
    expect(await call("POST", `/tools/${tool.id}/test`, { input: {} }, stranger)).toEqual(unknown);
    expect((await create({}, stranger)).status).toBe(404);
    expect((await call("GET", `/tools?agentId=${agentId}`, undefined, stranger)).status).toBe(404);
    expect((await call("GET", `/tools/limits?agentId=${agentId}`, undefined, stranger)).status).toBe(404);
    expect((await call("GET", `/tools/${tool.id}`)).body).toEqual(tool);
  });

  it("can be tested, which shows what the model and the visitor would receive", async () => {
    const mockResponse = '{"name":"City bike","cost":600,"margin":200}';
    const displayConfig = { type: "product_card", fieldMappings: { title: "name", price: "cost" } };
    const { body: tool } = await create({ mockResponse, displayConfig });
    const tried = await call("POST", `/tools/${tool.id}/test`, { input: { size: "M" } });
    expect(tried).toEqual({
      status: 200,
      body: {
        isError: false,
        forModel: mockResponse,
        problem: null,
        result: JSON.parse(mockResponse),
        warnings: [],
        forVisitor: {
          result: { title: "City bike", price: 600 },
          display: { type: "product_card", slots: { title: "City bike", price: 600 }, options: {} },
        },
        durationMs: expect.any(Number),
        request: null,
        response: null,
      },
    });
    const wrong = await call("POST", `/tools/${tool.id}/test`, { input: { size: "XL" } });
    expect(wrong.body).toMatchObject({ isError: true, forModel: expect.stringContaining("size") });
    expect(wrong.body.problem).toBe(wrong.body.forModel);
  });

  it("show members the exact error, and the model no more than in a chat", async () => {
    const { body: tool } = await create({ executionType: "http", httpUrl: "http://127.0.0.1:1/{size}" });
    const { body } = await call("POST", `/tools/${tool.id}/test`, { input: { size: "M" } });
    expect(body).toMatchObject({ isError: true, forModel: "Not reachable", forVisitor: { result: "Not reachable" } });
    expect(body.problem).toBe("127.0.0.1:1 does not accept connections.");
  });

  it("show no images from hosts that the agent does not allow once it has a list", async () => {
    const bikes = [
      { name: "City", photo: "https://cdn.example/1.png" },
      { name: "Race", photo: "https://evil.example/1.png?told=everything" },
      { photo: "https://evil.example/2.png" },
      { name: "Cargo", photo: "data:image/png;base64,iVBORw0KGgo=" },
    ];
    const displayConfig = { type: "product_carousel", fieldMappings: { title: "name", image: "photo" } };
    const { body: tool } = await create({ mockResponse: JSON.stringify(bikes), displayConfig });
    const shown = async () => {
      const { forVisitor } = (await call("POST", `/tools/${tool.id}/test`, { input: { size: "M" } })).body;
      expect(forVisitor.result).toEqual(forVisitor.display.slots);
      return forVisitor.display.slots.items;
    };
    expect(await shown()).toHaveLength(4);
    expect((await call("PATCH", `/agents/${agentId}`, { allowedImageHosts: ["CDN.example"] })).status).toBe(200);
    expect(await shown()).toEqual([
      { title: "City", image: "https://cdn.example/1.png" },
      { title: "Race" },
      { title: "Cargo", image: "data:image/png;base64,iVBORw0KGgo=" },
    ]);
  });
});

onBothDatabases("secrets", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Account;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    owner = await server.createAccount();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });
  const call = async (method: "GET" | "POST" | "PUT" | "DELETE", url: string, body?: object, account = owner) => {
    const payload = body === undefined ? {} : { payload: body };
    const response = await server.app.inject({ method, url, headers: account.headers, ...payload });
    return { status: response.statusCode, body: response.json(), text: response.body };
  };

  it("are encrypted and never returned", async () => {
    const made = await call("POST", "/secrets", { name: "API_KEY", value: "canary-value", hosts: ["API.example.com"] });
    expect(made).toMatchObject({ status: 201, body: { name: "API_KEY", hosts: ["api.example.com"] } });
    const listed = await call("GET", "/secrets");
    expect(listed.body).toEqual([made.body]);
    const rows = await server.deps.db.selectFrom("secrets").selectAll().execute();
    for (const text of [made.text, listed.text, JSON.stringify(rows)]) expect(text).not.toContain("canary-value");
  });

  it("can be replaced and deleted, and have unique names", async () => {
    expect((await call("POST", "/secrets", { name: "ONCE", value: "a" })).status).toBe(201);
    expect((await call("POST", "/secrets", { name: "ONCE", value: "b" })).body.error.code).toBe("CONFLICT");
    expect((await call("PUT", "/secrets/ONCE", { value: "c", hosts: ["a.example"] })).body.hosts).toEqual([
      "a.example",
    ]);
    expect((await call("PUT", "/secrets/NEW", { value: "d" })).status).toBe(200);
    expect((await call("DELETE", "/secrets/ONCE")).body).toEqual({ success: true });
    expect((await call("DELETE", "/secrets/ONCE")).status).toBe(404);
  });

  it.each([
    [{ name: "with space", value: "a" }],
    [{ name: "1ST", value: "a" }],
    [{ name: "A", value: "" }],
    [{ name: "A" }],
    [{ name: "A", value: "a", hosts: ["https://a.example"] }],
    [{ name: "A", value: "a", hosts: ["a.example/path"] }],
  ])("are refused for %j", async (body) => {
    expect((await call("POST", "/secrets", body)).status).toBe(400);
  });

  it("are invisible to other organizations", async () => {
    await call("PUT", "/secrets/MINE", { value: "a" });
    const stranger = await server.createAccount();
    expect((await call("GET", "/secrets", undefined, stranger)).body).toEqual([]);
    expect((await call("DELETE", "/secrets/MINE", undefined, stranger)).status).toBe(404);
    await call("PUT", "/secrets/MINE", { value: "b", hosts: ["evil.example"] }, stranger);
    expect((await call("GET", "/secrets")).body).toContainEqual(expect.objectContaining({ name: "MINE", hosts: [] }));
  });
});
