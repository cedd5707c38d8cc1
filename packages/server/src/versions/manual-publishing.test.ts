import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const formSchema = { fields: [{ name: "email", type: "email", label: "Email" }] };

onBothDatabases("an agent that is published by hand", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let model: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;

  const env = () => ({
    OPENAI_COMPATIBLE_BASE_URL: model.url,
    FOYER_DEFAULT_MODEL: "openai-compatible/test",
    FOYER_LIMIT_CHAT_PER_SESSION: "0",
    FOYER_LIMIT_CHAT_PER_IP: "0",
  });
  beforeAll(async () => {
    database = await createDatabase();
    model = await startUpstream();
    server = await startServer({ database, listen: true, env: env() });
    owner = await server.createAccount();
  });
  beforeEach(async () => {
    model.script(sayWords("Hello."));
    agentId = await createAgent(owner, { systemPrompt: "Sell bikes.", widget: { greeting: "Bikes!" } });
  });
  afterAll(async () => {
    await server.stop();
    await model.stop();
    await database.drop();
  });

  const read = async () => (await owner.call("GET", `/agents/${agentId}`)).body.data;
  const change = (body: object) => owner.call("PATCH", `/agents/${agentId}`, body);
  const publish = (body?: object) => owner.call("POST", `/agents/${agentId}/publish`, body);
  const addTool = (name: string, more: object = {}) =>
    createTool(owner, { agentId, name, executionType: "mock", ...more });
  const listTools = async () => (await owner.call("GET", `/tools?agentId=${agentId}`)).body as Array<{ name: string }>;
  const addTrigger = async (name: string) =>
    (
      await owner.call("POST", `/triggers?agentId=${agentId}`, {
        name,
        triggerType: "exit_intent",
        conditions: {},
        actionType: "show_bubble",
        actionConfig: { message: name },
      })
    ).body;
  const visitorTriggers = async () =>
    (await server.app.inject({ url: `/triggers/widget/${agentId}` })).json().map(({ name }: { name: string }) => name);
  const visitorWidget = async () => (await server.app.inject({ url: `/agents/${agentId}/widget` })).json().data;

  /** Chats as a visitor. @returns what the model received, and the version that the reply names */
  async function chat({ url } = server, headers: Record<string, string> = {}) {
    const seen = model.exchanges.length;
    const stream = await openChat(url, { agentId, messages: [{ role: "user", content: "Hi" }] }, headers);
    await stream.ended;
    const { messages, tools = [] } = JSON.parse(model.exchanges[seen]?.body ?? "{}");
    const { conversationId } = stream.events[0] as unknown as { conversationId: string };
    const { body } = await owner.call("GET", `/conversations/${conversationId}`);
    return {
      prompt: messages[0].content,
      tools: tools.map((tool: { function: { name: string } }) => tool.function.name),
      version: body.data?.messages[1].agentVersion,
    };
  }

  it("shows visitors nothing of the draft until it is published", async () => {
    const old = await addTool("old_tool");
    await addTrigger("Old");
    await change({ publishing: "manual" });
    await change({ systemPrompt: "Sell boats.", name: "Marina", widget: { greeting: "Boats!" } });
    await addTool("new_tool");
    await owner.call("DELETE", `/tools/${old.id}`);
    await addTrigger("New");
    expect(await chat()).toEqual({ prompt: "Sell bikes.", tools: ["old_tool"], version: 1 });
    expect(await visitorTriggers()).toEqual(["Old"]);
    expect(await visitorWidget()).toMatchObject({ name: "Harbour", widget: { greeting: "Bikes!" } });
    expect(await read()).toMatchObject({ name: "Marina", systemPrompt: "Sell boats.", liveVersion: 1 });
    expect((await listTools()).map(({ name }) => name)).toEqual(["new_tool"]);

    const published = await publish({ note: "Boats" });
    expect([published.status, published.body.data]).toMatchObject([201, { version: 2, note: "Boats", isLive: true }]);
    expect(await chat()).toEqual({ prompt: "Sell boats.", tools: ["new_tool"], version: 2 });
    expect(await visitorTriggers()).toEqual(["Old", "New"]);
    expect(await visitorWidget()).toMatchObject({ name: "Marina", widget: { greeting: "Boats!" } });
  });

  it("gives the restored version to the next reply and page, also in another process", async () => {
    const other =
      database.address.kind === "postgres" ? await startServer({ database, listen: true, env: env() }) : null;
    const processes = other === null ? [server] : [server, other];
    try {
      await change({ publishing: "manual" });
      await change({ systemPrompt: "Sell boats.", widget: { greeting: "Boats!" } });
      await publish();
      for (const one of processes) expect((await chat(one)).version).toBe(2);
      for (const [version, prompt, greeting] of [
        [1, "Sell bikes.", "Bikes!"],
        [2, "Sell boats.", "Boats!"],
      ] as const) {
        const restored = await owner.call("POST", `/agents/${agentId}/versions/${version}/restore`);
        const live = restored.body.data.version;
        for (const one of processes) {
          expect(await chat(one)).toMatchObject({ prompt, version: live });
          const widget = await one.app.inject({ url: `/agents/${agentId}/widget` });
          expect(widget.json().data.widget.greeting).toBe(greeting);
        }
      }
    } finally {
      await other?.stop();
    }
  });

  it("keeps a form that was deleted from the draft until the next publication", async () => {
    const form = await addTool("contact", { executionType: "form", formSchema });
    await change({ publishing: "manual" });
    await owner.call("DELETE", `/tools/${form.id}`);
    const load = () => server.app.inject({ url: `/triggers/form/${form.id}?agentId=${agentId}` });
    expect((await owner.call("GET", `/tools/${form.id}`)).status).toBe(404);
    expect((await load()).statusCode).toBe(200);
    await publish();
    expect((await load()).statusCode).toBe(404);
  });

  it("keeps the image of the published version while the draft has another one", async () => {
    await owner.call("PUT", `/agents/${agentId}/images/logo`, { image: pixel });
    await change({ publishing: "manual" });
    const { images } = await visitorWidget();
    await owner.call("DELETE", `/agents/${agentId}/images/logo`);
    expect((await visitorWidget()).images).toEqual(images);
    expect((await read()).images.logo).toBeNull();
    expect((await server.app.inject({ url: images.logo })).statusCode).toBe(200);
  });

  it("keeps the published image however often the draft's image changes", async () => {
    const picture = (n: number) => `data:image/gif;base64,${Buffer.from(`GIF89a${n}`).toString("base64")}`;
    await owner.call("PUT", `/agents/${agentId}/images/logo`, { image: pixel });
    await change({ publishing: "manual" });
    const { images } = await visitorWidget();
    for (let n = 0; n < 25; n++) await owner.call("PUT", `/agents/${agentId}/images/logo`, { image: picture(n) });
    expect((await server.app.inject({ url: images.logo })).headers["content-type"]).toBe("image/png");
  });

  it("answers 200 with the live version when nothing has changed", async () => {
    await change({ publishing: "manual" });
    const answer = await publish({ note: "Nothing" });
    expect([answer.status, answer.body.data]).toMatchObject([200, { version: 1, note: null }]);
  });

  it("is compared with its draft", async () => {
    await change({ publishing: "manual" });
    await change({ systemPrompt: "Sell boats." });
    const { body } = await owner.call("GET", `/agents/${agentId}/versions/diff?from=1&to=draft`);
    expect(body.data.changes).toEqual([{ path: "agent.systemPrompt", from: "Sell bikes.", to: "Sell boats." }]);
  });

  it("loses its draft on request", async () => {
    const tool = await addTool("stock", { description: "Looks up stock" });
    await change({ publishing: "manual" });
    const { draftHash } = await read();
    await change({ systemPrompt: "Sell boats." });
    await owner.call("PUT", `/tools/${tool.id}`, { description: "Counts boats" });
    await addTool("more");
    const discarded = await owner.call("POST", `/agents/${agentId}/discard-draft`);
    expect(discarded.body.data).toMatchObject({ systemPrompt: "Sell bikes.", draftHash });
    expect((await listTools()).map(({ name }) => name)).toEqual(["stock"]);
    expect((await owner.call("GET", `/tools/${tool.id}`)).body.description).toBe("Looks up stock");
  });

  it("is restored at once, and its draft is replaced", async () => {
    await change({ publishing: "manual" });
    await change({ systemPrompt: "Sell boats." });
    await publish();
    await change({ systemPrompt: "Sell cars." });
    const restored = await owner.call("POST", `/agents/${agentId}/versions/1/restore`);
    expect([restored.status, restored.body.data.version]).toEqual([201, 3]);
    expect((await chat()).prompt).toBe("Sell bikes.");
    expect((await read()).systemPrompt).toBe("Sell bikes.");
  });

  it("publishes its draft when changes become live at once again", async () => {
    await change({ publishing: "manual" });
    await change({ systemPrompt: "Sell boats." });
    await addTool("stock");
    await change({ publishing: "immediate", temperature: 5 });
    expect(await chat()).toEqual({ prompt: "Sell boats.", tools: ["stock"], version: 2 });
    await change({ systemPrompt: "Sell cars." });
    expect((await chat()).prompt).toBe("Sell cars.");
  });

  it("publishes what is saved together with the setting", async () => {
    await change({ publishing: "manual", systemPrompt: "Sell boats." });
    expect((await chat()).prompt).toBe("Sell boats.");
  });

  it("applies allowed origins, retention and budgets at once", async () => {
    await change({ publishing: "manual" });
    await change({ allowedOrigins: ["https://shop.example"], monthlyTokenBudget: 5 });
    const widget = await server.app.inject({
      url: `/agents/${agentId}/widget`,
      headers: { origin: "https://other.example" },
    });
    expect(widget.statusCode).toBe(403);
    expect((await publish()).status).toBe(200);
  });

  it("answers members in the playground with the draft", async () => {
    const member = await signedInBrowser(server, (await createOwner(server)).email);
    agentId = await createAgent(member, { systemPrompt: "Sell bikes." });
    await member.call("PATCH", `/agents/${agentId}`, { publishing: "manual" });
    await member.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell boats." });
    await createTool(member, { agentId, name: "draft_tool", executionType: "mock" });
    const message = { agentId, messages: [{ role: "user", content: "Hi" }] };
    const { text } = await member.call("POST", "/chat", message);
    const { messages, tools } = JSON.parse(model.exchanges[0]?.body ?? "{}");
    expect([messages[0].content, tools[0].function.name]).toEqual(["Sell boats.", "draft_tool"]);
    const conversationId = /conv_[0-9a-z]+/.exec(text)?.[0];
    const stored = await member.call("GET", `/conversations/${conversationId}`);
    expect(stored.body.data.messages[1].agentVersion).toBeNull();
  });

  it("lets one of two people who publish the same state succeed", async () => {
    await change({ publishing: "manual" });
    await change({ systemPrompt: "Sell boats." });
    const first = (await read()).draftHash;
    await change({ systemPrompt: "Sell cars." });
    const answer = await server.app.inject({
      method: "POST",
      url: `/agents/${agentId}/publish`,
      headers: { ...owner.headers, "if-match": `"${first}"` },
      payload: {},
    });
    expect(answer.statusCode).toBe(412);
    expect((await chat()).prompt).toBe("Sell bikes.");
    const both = await Promise.all([publish(), publish()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
  });

  it.each([
    ["as it was sent", (tag: string) => tag],
    ["as nginx changes it when it compresses", (tag: string) => `W/${tag}`],
    ["as Apache changes it when it compresses", (tag: string) => tag.replace(/"$/, '-gzip"')],
  ])("is changed with the ETag %s", async (_, change) => {
    const url = `/agents/${agentId}`;
    const { headers } = await server.app.inject({ url, headers: owner.headers });
    const ifMatch = change(String(headers.etag));
    const payload = { temperature: 10 };
    const answer = await server.app.inject({
      method: "PATCH",
      url,
      headers: { ...owner.headers, "if-match": ifMatch },
      payload,
    });
    expect(answer.statusCode).toBe(200);
  });

  it("is published when two tools of the draft have exchanged their names", async () => {
    const a = await addTool("a");
    const b = await addTool("b");
    await change({ publishing: "manual" });
    await owner.call("PUT", `/tools/${a.id}`, { name: "c" });
    await owner.call("PUT", `/tools/${b.id}`, { name: "a" });
    await owner.call("PUT", `/tools/${a.id}`, { name: "b" });
    expect((await publish()).status).toBe(201);
    expect((await listTools()).map(({ name }) => name)).toEqual(["b", "a"]);
  });

  it("is duplicated as members see it", async () => {
    await change({ publishing: "manual" });
    await change({ systemPrompt: "Sell boats." });
    await addTool("stock");
    const { data: copy } = (await owner.call("POST", `/agents/${agentId}/duplicate`)).body;
    expect(copy).toMatchObject({ systemPrompt: "Sell boats.", publishing: "immediate" });
    expect((await owner.call("GET", `/tools?agentId=${copy.id}`)).body).toMatchObject([{ name: "stock" }]);
  });

  it("is deleted with its draft", async () => {
    const form = await addTool("contact", { executionType: "form", formSchema });
    await change({ publishing: "manual" });
    const { id } = await addTool("stock");
    await owner.call("DELETE", `/agents/${agentId}`);
    expect((await owner.call("GET", `/tools/${id}`)).status).toBe(404);
    expect((await server.app.inject({ url: `/triggers/form/${form.id}` })).statusCode).toBe(404);
  });

  it.each(["draft", 1, "MANUAL"])("refuses the setting %j", async (publishing) => {
    const { status, body } = await change({ publishing });
    expect([status, body.error.details[0].path]).toEqual([400, "publishing"]);
  });

  it("refuses a note of more than 1,000 characters", async () => {
    const { status, body } = await publish({ note: "x".repeat(1_001) });
    expect([status, body.error.details[0].path]).toEqual([400, "note"]);
  });

  it("is invisible to other organizations", async () => {
    const other = await server.createAccount();
    for (const path of ["publish", "discard-draft"]) {
      expect((await other.call("POST", `/agents/${agentId}/${path}`)).status).toBe(404);
    }
  });

  it("is live in every process as soon as it is published", async () => {
    if (database.address.kind !== "postgres") return;
    const second = await startServer({ database, listen: true, env: env() });
    await change({ publishing: "manual" });
    await change({ systemPrompt: "Sell boats." });
    await publish();
    expect(await chat(second)).toMatchObject({ prompt: "Sell boats.", version: 2 });
    await second.stop();
  });

  it("keeps tools and triggers of drafts in tables with the columns of the live ones", async () => {
    const tables = await server.deps.db.introspection.getTables();
    const columnsOf = (name: string) =>
      tables
        .find((table) => table.name === name)
        ?.columns.map((column) => [column.name, column.isNullable])
        .toSorted();
    expect(columnsOf("draftTools")).toEqual(columnsOf("tools"));
    expect(columnsOf("draftTriggers")).toEqual(columnsOf("triggers"));
  });

  it("restores a tool with a secret for a member", async () => {
    const { email, organizationId } = await createOwner(server);
    const admin = await signedInBrowser(server, email);
    const member = await signedInBrowser(server, (await createMember(server, organizationId, "member")).email);
    await admin.call("PUT", "/secrets/SHOP_KEY", { value: "abc", hosts: ["api.example"] });
    const id = await createAgent(admin, { publishing: "manual" });
    const httpUrl = "https://api.example/?key={{SHOP_KEY}}";
    const settings = { agentId: id, name: "stock", executionType: "http" as const, httpUrl };
    const tool = await createTool(admin, settings);
    const { version } = (await admin.call("POST", `/agents/${id}/publish`)).body.data;
    await admin.call("DELETE", `/tools/${tool.id}`);
    await admin.call("POST", `/agents/${id}/publish`);
    expect((await member.call("POST", `/agents/${id}/versions/${version}/restore`)).status).toBe(201);
  });
});
