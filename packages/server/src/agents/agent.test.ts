import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { newId } from "../ids.ts";
import { findFreeSlug, toSlug } from "./slug.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

onBothDatabases("agents", (createDatabase) => {
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

  const call = (method: Parameters<Account["call"]>[0], url: string, body?: object, account = owner) =>
    account.call(method, url, body);
  const create = async (body: object, account = owner) => (await call("POST", "/agents", body, account)).body.data;

  it("refuse an image host that would add directives to a page's Content-Security-Policy", async () => {
    const { call } = await server.createAccount();
    for (const host of ["a;script-src-elem", "evil.example,b", "a b", "[::1]"]) {
      const { status, body } = await call("POST", "/agents", { name: "Harbour", allowedImageHosts: [host] });
      expect([status, body.error.details[0].path], host).toEqual([400, "allowedImageHosts.0"]);
    }
    const hosts = ["images.example", "cdn.images.example:8443"];
    expect((await call("POST", "/agents", { name: "Harbour", allowedImageHosts: hosts })).status).toBe(201);
  });

  it("refuse a link host that is not a host name of its own, with its position in the list", async () => {
    const { id } = await create({ name: "Linking" });
    const refused = [
      "https://docs.example",
      "docs.example/x",
      "docs.example:8443",
      "com",
      "docs..example",
      "*.example",
    ];
    for (const host of [...refused, "docs.example.", "a b.example", "[::1]", "ada@docs.example", ""]) {
      const { status, body } = await call("PATCH", `/agents/${id}`, { linkHosts: ["shop.example", host] });
      expect([status, body.error.details[0].path], host).toEqual([400, "linkHosts.1"]);
    }
  });

  it("refuse more than 50 link hosts and hosts of more than 253 characters", async () => {
    const hosts = Array.from({ length: 51 }, (_, index) => `docs${index}.example`);
    const { status, body } = await call("POST", "/agents", { name: "Harbour", linkHosts: hosts });
    expect([status, body.error.details[0].path]).toEqual([400, "linkHosts"]);
    const long = await call("POST", "/agents", { name: "Harbour", linkHosts: [`${"a.".repeat(127)}example`] });
    expect([long.status, long.body.error.details[0].path]).toEqual([400, "linkHosts.0"]);
  });

  it("keep their link hosts once each in lower case, also in a duplicate, until null clears them", async () => {
    const agent = await create({ name: "Linked", linkHosts: ["Docs.Example", "docs.example", "a.example"] });
    expect(agent.linkHosts).toEqual(["docs.example", "a.example"]);
    const copy = await call("POST", `/agents/${agent.id}/duplicate`);
    expect(copy.body.data.linkHosts).toEqual(["docs.example", "a.example"]);
    const cleared = await call("PATCH", `/agents/${agent.id}`, { linkHosts: null });
    expect(cleared.body.data.linkHosts).toEqual([]);
    expect((await call("GET", `/agents/${copy.body.data.id}`)).body.data.linkHosts).toEqual([
      "docs.example",
      "a.example",
    ]);
  });

  it("refuse a page pattern that no page can match, and suggest different questions on matching pages", async () => {
    const { call } = await server.createAccount();
    const widget = (page: string) => ({
      pageSuggestions: [
        { page: "/pricing", suggestions: [] },
        { page, suggestions: ["Why?"] },
      ],
    });
    for (const page of ["", "pricing", "/pricing?plan=pro"]) {
      const { status, body } = await call("POST", "/agents", { name: "Harbour", widget: widget(page) });
      expect([status, body.error.details[0].path], page).toEqual([400, "widget.pageSuggestions.1.page"]);
    }
    const { body } = await call("POST", "/agents", { name: "Harbour", widget: widget("/bikes/**") });
    const { widget: shown } = (await call("GET", `/agents/${body.data.id}/widget`)).body.data;
    expect(shown).toEqual(widget("/bikes/**"));
  });

  it("are created with defaults and read back", async () => {
    const { status, body } = await call("POST", "/agents", { name: "Harbour" });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        publishing: "immediate",
        rollout: null,
        publishRequiresTests: false,
        resolveAfter: null,
        resolveMessage: null,
        askRating: null,
        ratingQuestion: null,
        liveVersion: 1,
        draftHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        id: expect.stringMatching(/^agent_[0-9a-z]{26}$/),
        name: "Harbour",
        slug: "harbour",
        model: "foyer/demo",
        modelIsDefault: true,
        systemPrompt: null,
        temperature: 70,
        fallbackModels: [],
        reasoning: "default",
        maxOutputTokens: null,
        widget: {},
        images: { logo: null, avatar: null, launcher: null },
        allowedOrigins: [],
        allowedImageHosts: [],
        linkHosts: [],
        pageQuery: [],
        retention: { conversations: null, submissions: null, files: null, events: 90 },
        requireIdentity: false,
        tellModel: [],
        followUps: false,
        attachments: { images: false, files: false, handoffOnly: false },
        handoff: {
          isEnabled: false,
          hasButton: true,
          whileWaiting: "agent",
          promiseMinutes: null,
          hours: null,
          badRatings: null,
          failedTools: null,
          failedReplies: null,
          events: [],
          escalation: [],
          teamId: null,
        },
        monthlyTokenBudget: null,
        monthlyCostBudget: null,
        budgetMessage: null,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: body.data.createdAt,
      },
      error: null,
    });
    expect((await call("GET", `/agents/${body.data.id}`)).body).toEqual(body);
  });

  it("keep every change when several requests change different settings of the handoff at once", async () => {
    const { id } = await create({ name: "Desk" });
    const changes = { isEnabled: true, promiseMinutes: 5, badRatings: 2, failedTools: 3, events: ["help"] };
    const requests = Object.entries(changes).map(([name, value]) =>
      call("PATCH", `/agents/${id}`, { handoff: { [name]: value } }),
    );
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await call("GET", `/agents/${id}`)).body.data.handoff).toMatchObject(changes);
  });

  describe("that name what the organization does not have", () => {
    const lab = { kind: "openai-compatible", baseUrl: "https://models.example/v1", apiKey: "key" };
    const strange = [
      ["a fallback model of an unknown provider", { fallbackModels: ["openai/a", "nowhere/b"] }, "fallbackModels.1"],
      ["a team", { handoff: { teamId: newId("team") } }, "handoff.teamId"],
      ["a member", { handoff: { escalation: ["user_of_another_organization"] } }, "handoff.escalation.0"],
    ] as const;

    it.each(strange)("are refused with %s when they are created, changed and applied", async (_, settings, path) => {
      const { call } = await server.createAccount();
      await call("PUT", "/models/providers/lab", lab);
      const { id, slug } = (await call("POST", "/agents", { name: "Harbour" })).body.data;
      const file = { format: "foyer-agent/1", agent: { slug, name: "Harbour", ...settings } };
      const refused = [
        await call("POST", "/agents", { name: "Harbour", ...settings }),
        await call("PATCH", `/agents/${id}`, settings),
        await call("POST", "/agents/apply", file),
        await call("POST", "/agents/apply", { ...file, agent: { ...file.agent, slug: "new-one" } }),
      ].map(({ status, body }) => [status, body.error?.details.map((detail: { path: string }) => detail.path)]);
      expect(refused).toEqual([
        [400, [path]],
        [400, [path]],
        [400, [`agent.${path}`]],
        [400, [`agent.${path}`]],
      ]);
    });

    it("are refused with every problem of a file", async () => {
      const { call } = await server.createAccount();
      await call("PUT", "/models/providers/lab", lab);
      const settings = { fallbackModels: ["nowhere/b"], handoff: { teamId: "Night" } };
      const file = { format: "foyer-agent/1", agent: { slug: "harbour", name: "Harbour", ...settings } };
      const { body } = await call("POST", "/agents/apply", file);
      expect(body.error.details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
        "agent.fallbackModels.0",
        "agent.handoff.teamId",
      ]);
    });

    it("are refused with the list of providers, to which the organization's own servers belong", async () => {
      const { call } = await server.createAccount();
      await call("PUT", "/models/providers/lab", lab);
      const { body } = await call("POST", "/agents", { name: "Harbour", fallbackModels: ["nowhere/small"] });
      expect(body.error.message).toContain("openai, anthropic, google, mistral, ollama, openai-compatible, lab");
      const fallbackModels = ["lab/house", "anthropic/of-a-provider-without-a-key"];
      expect((await call("POST", "/agents", { name: "Harbour", fallbackModels })).status).toBe(201);
    });

    it("may have any model of their own", async () => {
      const { call } = await server.createAccount();
      await call("PUT", "/models/providers/lab", lab);
      for (const model of ["nowhere/small", "a-bare-name", "foyer/demo"])
        expect((await call("POST", "/agents", { name: "Harbour", model })).status, model).toBe(201);
    });

    it("can be saved and copied when it was removed after they named it", async () => {
      const { call } = await server.createAccount();
      await call("PUT", "/models/providers/lab", lab);
      await call("PUT", "/models/providers/other", lab);
      const teamId = (await call("POST", "/teams", { name: "Workshop" })).body.data.id;
      const named = { model: "lab/house", fallbackModels: ["lab/other"], handoff: { teamId } };
      const { id } = (await call("POST", "/agents", { name: "Harbour", ...named })).body.data;
      await call("DELETE", "/models/providers/lab");
      await call("DELETE", `/teams/${teamId}`);
      const saved = await call("PATCH", `/agents/${id}`, { ...named, systemPrompt: "Sell boats." });
      expect([saved.status, saved.body.data?.systemPrompt]).toEqual([200, "Sell boats."]);
      const file = (await call("GET", `/agents/${id}/export`)).body.data;
      expect((await call("POST", "/agents/apply", file)).body.data.changes).toEqual([]);
      expect((await call("POST", `/agents/${id}/duplicate`)).status).toBe(201);
    });
  });

  it("are listed with exactly the summary's fields, in creation order", async () => {
    const account = await server.createAccount();
    const first = await create({ name: "First" }, account);
    const second = await create({ name: "Second" }, account);
    const { body } = await call("GET", "/agents", undefined, account);
    const summary = ({ id, name, slug, model, createdAt }: typeof first) => ({
      id,
      name,
      slug,
      model,
      modelIsDefault: true,
      createdAt,
    });
    expect(body).toEqual({ data: [summary(first), summary(second)], error: null });
  });

  it("are listed as they are after each change of an agent or of the default model", async () => {
    const account = await server.createAccount();
    const listed = async () => {
      const { data } = (await call("GET", "/agents", undefined, account)).body;
      return data.map((agent: { name: string; model: string }) => `${agent.name} ${agent.model}`);
    };
    const provider = { apiKey: "sk-1234567890", baseUrl: "https://models.example/v1" };
    expect(await listed()).toEqual([]);
    const { id } = await create({ name: "Desk" }, account);
    expect(await listed()).toEqual(["Desk foyer/demo"]);
    await call("PATCH", `/agents/${id}`, { name: "Harbour" }, account);
    expect(await listed()).toEqual(["Harbour foyer/demo"]);
    await call("POST", `/agents/${id}/duplicate`, undefined, account);
    expect(await listed()).toEqual(["Harbour foyer/demo", "Harbour (copy) foyer/demo"]);
    await call("DELETE", `/agents/${id}`, undefined, account);
    expect(await listed()).toEqual(["Harbour (copy) foyer/demo"]);
    await call("PUT", "/models/providers/mistral", provider, account);
    expect(await listed()).toEqual([expect.stringMatching(/^Harbour \(copy\) mistral\//)]);
    await call("DELETE", "/models/providers/mistral", undefined, account);
    expect(await listed()).toEqual(["Harbour (copy) foyer/demo"]);
    expect((await call("GET", "/agents")).body.data.map(({ name }: { name: string }) => name)).not.toContain(
      "Harbour (copy)",
    );
  });

  it("get unique slugs within an organization, even when created concurrently", async () => {
    const account = await server.createAccount();
    const created = await Promise.all(Array.from({ length: 5 }, () => create({ name: "Bike Shop" }, account)));
    expect(created.map((agent) => agent.slug).sort()).toEqual([
      "bike-shop",
      "bike-shop-2",
      "bike-shop-3",
      "bike-shop-4",
      "bike-shop-5",
    ]);
    const many = await Promise.all(Array.from({ length: 32 }, () => create({ name: "Bike Shop" }, account)));
    expect(new Set([...created, ...many].map((agent) => agent.slug)).size).toBe(37);
    const other = await server.createAccount();
    expect((await create({ name: "Bike Shop" }, other)).slug).toBe("bike-shop");
  });

  it("are updated field by field, null clears a field, and the slug follows the name", async () => {
    const agent = await create({ name: "Before", systemPrompt: "Sell bikes.", temperature: 5 });
    const changed = await call("PATCH", `/agents/${agent.id}`, {
      name: "After",
      systemPrompt: null,
      temperature: null,
      widget: { title: "Ask us", position: "left", suggestions: ["Opening hours"] },
      allowedOrigins: ["https://shop.example"],
      followUps: true,
      monthlyTokenBudget: 1_000,
    });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toMatchObject({
      name: "After",
      slug: "after",
      systemPrompt: null,
      temperature: 70,
      widget: { title: "Ask us", position: "left", suggestions: ["Opening hours"] },
      allowedOrigins: ["https://shop.example"],
      followUps: true,
      monthlyTokenBudget: 1_000,
    });
    const same = await call("PATCH", `/agents/${agent.id}`, { name: "After" });
    expect(same.body.data.slug).toBe("after");
  });

  it("ignore fields that cannot be set", async () => {
    const other = await server.createAccount();
    const agent = await create({ name: "Mine" });
    const body = { id: "agent_x", organizationId: other.organizationId, createdAt: "2020-01-01", slug: "chosen" };
    const { status } = await call("PATCH", `/agents/${agent.id}`, body);
    expect(status).toBe(200);
    const { updatedAt: _, ...unchanged } = agent;
    expect((await call("GET", `/agents/${agent.id}`)).body.data).toMatchObject(unchanged);
    expect((await call("GET", `/agents/${agent.id}`, undefined, other)).status).toBe(404);
  });

  it("are deleted with their conversations, messages and tools", async () => {
    const agent = await create({ name: "Gone" });
    await server.app.inject({
      method: "POST",
      url: "/chat",
      payload: { agentId: agent.id, messages: [{ role: "user", content: "Hello" }] },
    });
    const { db } = server.deps;
    const readRows = (table: "conversations" | "tools" | "agentCounters") =>
      db.selectFrom(table).selectAll().where("agentId", "=", agent.id).execute();
    const [conversation] = await db.selectFrom("conversations").select("id").where("agentId", "=", agent.id).execute();
    expect(conversation).toBeDefined();
    expect(await call("DELETE", `/agents/${agent.id}`)).toEqual({
      status: 200,
      body: { data: { success: true }, error: null },
    });
    expect(await readRows("conversations")).toEqual([]);
    expect(await readRows("tools")).toEqual([]);
    expect(await readRows("agentCounters")).toEqual([]);
    const messages = db
      .selectFrom("messages")
      .select("id")
      .where("conversationId", "=", conversation?.id ?? "");
    expect(await messages.execute()).toEqual([]);
    expect((await call("GET", `/agents/${agent.id}`)).status).toBe(404);
    expect((await call("DELETE", `/agents/${agent.id}`)).status).toBe(404);
  });

  it("disappear immediately when deleting their rows takes longer", async () => {
    if (database.address.kind === "sqlite") return;
    const { db } = server.deps;
    const { id } = await create({ name: "Large" });
    // Takes longer than the usual statement timeout allows.
    await sql`create function be_slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(5.5); return old; end $$`.execute(db);
    await sql`create trigger slow before delete on agents for each row execute function be_slow()`.execute(db);
    expect((await call("DELETE", `/agents/${id}`)).status).toBe(200);
    await sql`drop trigger slow on agents`.execute(db);
    expect((await call("GET", `/agents/${id}`)).status).toBe(404);
  });

  it("of another organization get the same response as an unknown id", async () => {
    const agent = await create({ name: "Private" });
    const stranger = await server.createAccount();
    const unknown = await call("GET", "/agents/agent_01h455vb4pex5vsknk084sn02q", undefined, stranger);
    expect(unknown.status).toBe(404);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["GET", "/identity-secret"],
      ["POST", "/identity-secret/rotate"],
    ] as const) {
      const body = method === "PATCH" ? { name: "Stolen" } : undefined;
      const answer = await call(method, `/agents/${agent.id}${path}`, body, stranger);
      expect(answer, `${method} ${path}`).toEqual(unknown);
    }
    expect((await call("GET", "/agents", undefined, stranger)).body.data).toEqual([]);
    expect((await call("GET", `/agents/${agent.id}`)).body.data.name).toBe("Private");
  });

  it("have an encrypted identity secret that can be rotated", async () => {
    const agent = await create({ name: "Identity" });
    const first = (await call("GET", `/agents/${agent.id}/identity-secret`)).body.data.identitySecret;
    expect(first).toMatch(/^fis_/);
    const row = await server.deps.db
      .selectFrom("agents")
      .selectAll()
      .where("id", "=", agent.id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(first);
    const rotated = await call("POST", `/agents/${agent.id}/identity-secret/rotate`);
    expect(rotated.body.data.identitySecret).not.toBe(first);
    expect((await call("GET", `/agents/${agent.id}/identity-secret`)).body).toEqual(rotated.body);
  });
});

describe("agent slugs", () => {
  it.each([
    ["A_B c", "a-b-c"],
    ["Harbour Bikes", "harbour-bikes"],
    ["  Größe & Maß!  ", "grosse-mass"],
    ["Ünïcödé", "unicode"],
    ["Жук", "zhuk"],
    ["🚲🚲", "agent"],
    ["---", "agent"],
    ["a".repeat(200), "a".repeat(80)],
  ])("turn %j into %j", async (name, slug) => expect(await toSlug(name)).toBe(slug));

  it("take the first free number", () => {
    expect(findFreeSlug("a", new Set())).toBe("a");
    expect(findFreeSlug("a", new Set(["a", "a-3"]))).toBe("a-2");
    expect(findFreeSlug("a", new Set(["a", "a-2", "a-3"]))).toBe("a-4");
  });
});
