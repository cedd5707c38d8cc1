import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { chunk, eventStream, sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";

const city = { type: "object", properties: { bike: { type: "string", enum: ["city", "race"] } }, required: ["bike"] };

onBothDatabases("tools in the chat", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let model: Upstream;
  let shop: Upstream;
  let headers: { authorization: string };
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    model = await startUpstream();
    shop = await startUpstream();
    const env = { OPENAI_COMPATIBLE_BASE_URL: model.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    server = await startServer({ database, env, listen: true });
    ({ headers } = await server.createAccount());
  });
  beforeEach(async () => {
    agentId = (await manage("POST", "/agents", { name: "Harbour" })).data.id;
  });
  afterAll(async () => {
    await server.stop();
    await model.stop();
    await shop.stop();
    await database.drop();
  });

  async function manage(method: "POST" | "PUT" | "DELETE", url: string, payload?: object) {
    const response = await server.app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
    expect(response.statusCode, response.body).toBeLessThan(300);
    return response.json();
  }
  const addTool = (name: string, more: object) =>
    manage("POST", "/tools", { agentId, name, description: `Does ${name}`, inputSchema: { type: "object" }, ...more });
  const addStock = (more: object = {}) =>
    addTool("check_stock", { executionType: "http", httpUrl: `${shop.url}/stock/{bike}`, inputSchema: city, ...more });

  it("keep a result for the model from the visitor's stream and conversation, but not from members", async () => {
    const secret = { stock: 3, margin: "internal" };
    await addTool("check_stock", {
      executionType: "mock",
      mockResponse: JSON.stringify(secret),
      label: "Checking stock",
      resultFor: "model",
    });
    modelCalls(["check_stock", {}]);
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content: "Any left?" }] });
    await stream.ended;
    const { events } = stream;
    expect(JSON.stringify(events)).not.toContain("internal");
    expect(events.find(({ type }) => type === "tool_use_start")).toMatchObject({ label: "Checking stock" });
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
      result: null,
      display: { type: "text", slots: {}, options: {} },
    });
    const start = events.find(({ type }) => type === "message_start") as unknown as Record<string, string>;
    const url = `/conversations/${start.conversationId}`;
    const asVisitor = { authorization: `Bearer ${start.conversationToken}` };
    const visitor = await server.app.inject({ url, headers: asVisitor });
    expect(visitor.statusCode).toBe(200);
    expect(visitor.body).not.toContain("internal");
    const member = (await server.app.inject({ url, headers })).json().data.messages[1].toolCalls[0];
    expect(member).toMatchObject({ label: "Checking stock", result: null, forModel: JSON.stringify(secret) });
  });

  /** The model calls these tools and writes one word once it has the results. */
  function modelCalls(...calls: Array<[name: string, input: object]>) {
    let step = 0;
    model.script((exchange) => {
      if (step++ > 0) return sayWords("Done.")(exchange);
      const { send, end } = eventStream(exchange);
      const toolCalls = calls.map(([name, input], index) => ({
        index,
        id: `call_${index}`,
        function: { name, arguments: JSON.stringify(input) },
      }));
      send(chunk({ tool_calls: toolCalls }, "tool_calls"));
      send("[DONE]");
      end();
    });
  }
  async function ask(content: string, url = server.url) {
    const stream = await openChat(url, { agentId, messages: [{ role: "user", content }] });
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "end_turn" });
    return stream.events.filter((event) => event.type === "tool_result");
  }
  const toldToModel = () => {
    const { messages } = JSON.parse(model.exchanges.at(-1)?.body ?? "{}");
    return messages
      .filter(({ role }: { role: string }) => role === "tool")
      .map(({ content }: { content: string }) => content);
  };

  it("are offered with their schema while they are enabled", async () => {
    const tool = await addStock();
    await manage("PUT", `/tools/${(await addTool("resting", { executionType: "mock" })).id}`, { isEnabled: false });
    model.script(sayWords("Hello."));
    await ask("Hello");
    expect(JSON.parse(model.exchanges[0]?.body ?? "").tools).toEqual([
      { type: "function", function: { name: "check_stock", description: tool.description, parameters: city } },
    ]);
  });

  it("show visitors the mapped display and the model the whole result", async () => {
    const displayConfig = { type: "product_card", fieldMappings: { title: "name", price: "cost" } };
    await addStock({ displayConfig });
    shop.script(({ response }) => {
      response.setHeader("content-type", "application/json");
      response.end('{"name":"City","cost":600,"margin":200}');
    });
    modelCalls(["check_stock", { bike: "city" }]);
    const [result] = await ask("City bikes?");
    expect(shop.exchanges[0]?.request.url).toBe("/stock/city");
    expect(result).toMatchObject({
      name: "check_stock",
      isError: false,
      result: { title: "City", price: 600 },
      displayConfig,
      display: { type: "product_card", slots: { title: "City", price: 600 }, options: {} },
    });
    expect(JSON.stringify(result)).not.toContain("200");
    expect(toldToModel()).toEqual(['{"name":"City","cost":600,"margin":200}']);
  });

  it("send a secret only to the host that it is bound to", async () => {
    const host = new URL(shop.url).host;
    await manage("PUT", "/secrets/KEY", { value: "canary-value", hosts: [host] });
    await manage("PUT", "/secrets/ELSEWHERE", { value: "canary-other", hosts: ["api.example.com"] });
    const tool = await addStock({ httpHeaders: { Authorization: "Bearer {{KEY}}" } });
    shop.script(({ request, response }) => response.end(`You sent ${request.headers.authorization}`));
    modelCalls(["check_stock", { bike: "city" }]);
    const [result] = await ask("City?");
    expect(shop.exchanges[0]?.request.headers.authorization).toBe("Bearer canary-value");
    expect(JSON.stringify(result) + toldToModel()).not.toContain("canary");

    for (const name of ["ELSEWHERE", "UNKNOWN", "DATABASE_URL", "PATH"]) {
      await manage("PUT", `/tools/${tool.id}`, { httpHeaders: { Authorization: `Bearer {{${name}}}` } });
      shop.script(({ response }) => response.end("never"));
      modelCalls(["check_stock", { bike: "city" }]);
      expect((await ask("City?"))[0]).toMatchObject({ isError: true });
      expect(shop.exchanges).toEqual([]);
      expect(toldToModel()[0]).toContain(name);
    }
  });

  it("validate the model's input before calling anything", async () => {
    await addStock();
    shop.script(({ response }) => response.end("never"));
    modelCalls(["check_stock", { bike: "plane" }]);
    expect((await ask("Planes?"))[0]).toMatchObject({ isError: true, result: expect.stringContaining("bike") });
    expect(shop.exchanges).toEqual([]);
  });

  it("run concurrently and are reported in order, including failures", async () => {
    await addStock();
    await addTool("opening_hours", { executionType: "mock", mockResponse: "Nine to six." });
    const both = Promise.withResolvers<void>();
    let asked = 0;
    shop.script(async ({ request, response }) => {
      if (++asked === 2) both.resolve();
      // Each call waits for the other one, so this resolves only if both run concurrently.
      await both.promise;
      if (request.url?.endsWith("race")) response.writeHead(500);
      response.end("ok");
    });
    modelCalls(
      ["check_stock", { bike: "race" }],
      ["check_stock", { bike: "city" }],
      ["opening_hours", {}],
      ["gone", {}],
    );
    const results = await ask("Everything?");
    expect(results.map((event) => event.type === "tool_result" && [event.name, event.isError, event.result])).toEqual([
      ["check_stock", true, "HTTP 500"],
      ["check_stock", false, "ok"],
      ["opening_hours", false, "Nine to six."],
      ["gone", true, "There is no such tool."],
    ]);
  });

  it("show a form prefilled from the call's input and store it with the message", async () => {
    const fields = [
      { name: "bike", label: "Bike", type: "text" },
      { name: "photo", label: "Photo", type: "image" },
    ];
    const tool = await addTool("test_ride", {
      executionType: "form",
      formSchema: { fields },
      inputSchema: { type: "object" },
    });
    modelCalls(["test_ride", { bike: "City", photo: "x", other: 1 }]);
    const [result] = await ask("I want a ride");
    expect(result).toMatchObject({
      isError: false,
      form: {
        toolId: tool.id,
        toolName: "test_ride",
        executionMode: "webhook",
        clientHandler: null,
        formSchema: { fields: [{ ...fields[0], defaultValue: "City" }, fields[1]] },
      },
    });
    expect(toldToModel()[0]).toContain("form is displayed");
  });

  it("that are deleted during a reply return an error", async () => {
    const tool = await addTool("opening_hours", { executionType: "mock", mockResponse: "Nine." });
    let step = 0;
    model.script(async (exchange) => {
      if (step++ > 0) return sayWords("Done.")(exchange);
      const { send, end } = eventStream(exchange);
      await manage("DELETE", `/tools/${tool.id}`);
      send(
        chunk(
          { tool_calls: [{ index: 0, id: "c", function: { name: "opening_hours", arguments: "{}" } }] },
          "tool_calls",
        ),
      );
      send("[DONE]");
      end();
    });
    expect((await ask("When?"))[0]).toMatchObject({ isError: true, result: "This tool is no longer available." });
  });

  it("are aborted when the client disconnects", async () => {
    await addStock();
    const closed = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    shop.script(({ response }) => {
      response.once("close", closed.resolve);
      called.resolve();
    });
    modelCalls(["check_stock", { bike: "city" }]);
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content: "City?" }] });
    await called.promise;
    stream.leave();
    await closed.promise;
  });

  it("of all three kinds can be called by the demo model", async () => {
    const demo = await startServer({ database, listen: true });
    await manage("PUT", `/tools/${(await addStock()).id}`, { description: "Checks the stock of a bike" });
    await addTool("opening_hours", {
      executionType: "mock",
      mockResponse: "Nine to six.",
      description: "Opening hours",
    });
    const formSchema = { fields: [{ name: "day", label: "Day", type: "date" }] };
    await addTool("book_test_ride", { executionType: "form", formSchema, description: "Books a test ride" });
    shop.script(({ response }) => response.end("Three in stock."));
    expect((await ask("What are your opening hours?", demo.url))[0]).toMatchObject({ result: "Nine to six." });
    expect((await ask("Please check the stock of the city bike", demo.url))[0]).toMatchObject({
      result: "Three in stock.",
    });
    expect((await ask("I want to book a test ride", demo.url))[0]).toMatchObject({
      form: { toolName: "book_test_ride" },
    });
    await demo.stop();
  });

  it("store their last error for members until they work again, unlike tests of a tool", async () => {
    const tool = await addStock();
    const errors = async () => (await server.app.inject({ url: `/tools/errors?agentId=${agentId}`, headers })).json();
    const failure = (message: RegExp, recoveredAt: unknown = null) => ({
      [tool.id]: { at: expect.stringMatching(/Z$/), message: expect.stringMatching(message), recoveredAt },
    });
    shop.script(({ response }) => void response.writeHead(500).end("out of order"));
    await manage("POST", `/tools/${tool.id}/test`, { input: { bike: "city" } });
    expect(await errors()).toEqual({});
    modelCalls(["check_stock", { bike: "city" }]);
    await ask("City?");
    expect(await errors()).toEqual(failure(/500/));
    const first = await errors();
    modelCalls(["check_stock", { bike: "city" }]);
    await ask("The same within a minute?");
    expect(await errors()).toEqual(first);
    modelCalls(["check_stock", { bike: "boat" }]);
    await ask("Boat?");
    expect(await errors()).toEqual(failure(/input/));
    shop.script(({ response }) => void response.end("3"));
    modelCalls(["check_stock", { bike: "city" }]);
    await ask("Works?");
    const recovered = await errors();
    expect(recovered).toEqual(failure(/input/, expect.stringMatching(/Z$/)));
    modelCalls(["check_stock", { bike: "city" }]);
    await ask("And again?");
    expect(await errors()).toEqual(recovered);
    shop.script(({ response }) => void response.writeHead(404).end("x".repeat(2_000)));
    modelCalls(["check_stock", { bike: "city" }]);
    await ask("Broken again?");
    expect(await errors()).toEqual(failure(/^.{1,500}$/s));
    const stranger = await server.createAccount();
    expect((await stranger.call("GET", `/tools/errors?agentId=${agentId}`)).status).toBe(404);
    expect((await stranger.call("GET", "/tools/errors")).status).toBe(400);
    await manage("DELETE", `/tools/${tool.id}`);
    expect(await server.deps.db.selectFrom("toolErrors").selectAll().where("toolId", "=", tool.id).execute()).toEqual(
      [],
    );
  });
});
