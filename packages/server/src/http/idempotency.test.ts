import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createBatchWriter } from "../db/batch-writer.ts";
import type { Executor } from "../db/compiled-query.ts";
import { newId } from "../ids.ts";
import { createIdempotency, deleteExpiredResponses } from "./idempotency.ts";

const DAY_MS = 86_400_000;

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

onBothDatabases("idempotency", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  /** a second process that uses the same data */
  let other: TestServer;
  let owner: Account;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    other = await startServer({ database });
    owner = await server.createAccount();
  });
  afterAll(async () => {
    await server.stop();
    await other.stop();
    await database.drop();
  });

  async function post(url: string, key: string, body: object | string, { account = owner, at = server } = {}) {
    const headers = { ...account.headers, "idempotency-key": key, "content-type": "application/json" };
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    const response = await at.app.inject({ method: "POST", url, headers, payload });
    return { status: response.statusCode, text: response.body, isReplay: response.headers["idempotent-replay"] };
  }

  const listAgents = async (account: Account) => (await account.call("GET", "/agents")).body.data;
  const listTools = async (agentId: string) => (await owner.call("GET", `/tools?agentId=${agentId}`)).body;
  const createToolBody = (agentId: string, name = "open_hours") => ({
    agentId,
    name,
    description: "When we are open",
    executionType: "mock",
    mockResponse: "9 to 5",
    inputSchema: { type: "object", properties: {} },
  });

  it("refuses a key when the organization has stored its bytes of the day, and creates nothing", async () => {
    const limited = await startServer({ database, env: { FOYER_LIMIT_RESPONSE_BYTES_PER_DAY: "4000" } });
    const [account, quiet] = [await limited.createAccount(), await limited.createAccount()];
    const create = (key: string, of = account) => post("/agents", key, { name: key }, { account: of, at: limited });
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push((await create(`d-${n}`)).status);
    expect(new Set(statuses)).toEqual(new Set([201, 429]));
    expect((await account.call("GET", "/agents")).body.data).toHaveLength(statuses.filter((s) => s === 201).length);
    expect((await create("d-0")).isReplay).toBe("true");
    expect((await create("d-0", quiet)).status).toBe(201);
    await limited.stop();
  });

  it("repeats the first response to an Idempotency-Key byte for byte and creates one agent", async () => {
    const account = await server.createAccount();
    const body = { name: "Harbour", systemPrompt: "Sell bikes.", temperature: 12.5, widget: { title: "Hi" } };
    const first = await post("/agents", "a-1", body, { account });
    const again = await post("/agents", "a-1", body, { account });
    expect(first).toMatchObject({ status: 201, isReplay: undefined });
    expect(again).toEqual({ ...first, isReplay: "true" });
    expect(await listAgents(account)).toHaveLength(1);
  });

  it("repeats the response to an Idempotency-Key from another process, and after the agent was changed", async () => {
    const account = await server.createAccount();
    const first = await post("/agents", "k", { name: "Before" }, { account });
    const { id } = JSON.parse(first.text).data;
    await account.call("PATCH", `/agents/${id}`, { name: "After" });
    expect(await post("/agents", "k", { name: "Before" }, { account, at: other })).toEqual({
      ...first,
      isReplay: "true",
    });
    const restarted = await startServer({ database });
    expect((await post("/agents", "k", { name: "Before" }, { account, at: restarted })).text).toBe(first.text);
    await restarted.stop();
  });

  it("treats bodies with the same Idempotency-Key as equal when only order or spacing differs, and responds 409 to others", async () => {
    const account = await server.createAccount();
    const send = (body: string) => post("/agents", "order", body, { account });
    const first = await send('{"name":"Desk","widget":{"title":"A","locale":"de"},"allowedImageHosts":["a","b"]}');
    const same = await send(
      '{ "allowedImageHosts":["a", "b"], "widget":{"locale":"de","title":"A"}, "name":"D\\u0065sk" }',
    );
    expect(same).toEqual({ ...first, isReplay: "true" });
    const conflict = { data: null, error: { code: "CONFLICT", message: expect.stringContaining("Idempotency-Key") } };
    for (const body of [
      '{"name":"Desk","widget":{"title":"A","locale":"de"},"allowedImageHosts":["b","a"]}',
      '{"name":"Desk","widget":{"title":"A"},"allowedImageHosts":["a","b"]}',
      '{"name":"desk","widget":{"title":"A","locale":"de"},"allowedImageHosts":["a","b"]}',
    ]) {
      const { status, text } = await send(body);
      expect([status, JSON.parse(text)]).toEqual([409, conflict]);
    }
    expect(await listAgents(account)).toHaveLength(1);
  });

  it("scopes an Idempotency-Key to one credential and one URL", async () => {
    const stranger = await server.createAccount();
    const agentId = await createAgent(owner);
    const mine = await post("/tools", "shared", createToolBody(agentId));
    expect(mine.status).toBe(201);
    expect(await post("/agents", "shared", { name: "Desk" })).toMatchObject({ status: 201, isReplay: undefined });
    const theirs = await post("/agents", "shared", { name: "Desk" }, { account: stranger });
    expect(theirs).toMatchObject({ status: 201, isReplay: undefined });
    expect((await post("/tools", "shared", createToolBody(agentId), { account: stranger })).status).toBe(404);
  });

  it("creates one tool from concurrent calls with one Idempotency-Key to two processes, with the same response", async () => {
    for (const plan of ["pro", "free"]) {
      const account = await server.createAccount(plan);
      const agentId = await createAgent(account);
      const calls = Array.from({ length: plan === "free" ? 12 : 50 }, (_, index) =>
        post("/tools", "at-once", createToolBody(agentId), { account, at: index % 2 === 0 ? server : other }),
      );
      const answers = await Promise.all(calls);
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
      expect(answers.filter(({ isReplay }) => isReplay === undefined)).toHaveLength(1);
      expect((await account.call("GET", `/tools?agentId=${agentId}`)).body).toHaveLength(1);
    }
  });

  it("creates one agent from concurrent calls with one Idempotency-Key, with the slug of its name", async () => {
    const account = await server.createAccount();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        post("/agents", "slugs", { name: "Bike Shop" }, { account, at: index % 2 === 0 ? server : other }),
      ),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await listAgents(account)).map(({ slug }: { slug: string }) => slug)).toEqual(["bike-shop"]);
  });

  const triggerBody = {
    name: "Greet",
    triggerType: "time_on_page",
    conditions: { timeOnPage: 5 },
    actionType: "open_chat",
    actionConfig: {},
  };

  it("creates one trigger from concurrent calls with one Idempotency-Key, and another for another agent in the URL", async () => {
    const agentId = await createAgent(owner);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post(`/triggers?agentId=${agentId}`, "greet", triggerBody, { at: index % 2 === 0 ? server : other }),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect((await owner.call("GET", `/triggers?agentId=${agentId}`)).body).toHaveLength(1);
    expect((await post(`/triggers?agentId=${await createAgent(owner)}`, "greet", triggerBody)).status).toBe(409);
  });

  it("counts an event only once per Idempotency-Key and session", async () => {
    const agentId = await createAgent(owner);
    const { body: trigger } = await owner.call("POST", `/triggers?agentId=${agentId}`, triggerBody);
    const { name: triggerName, triggerType, actionType } = trigger;
    const event = { agentId, triggerId: trigger.id, triggerName, triggerType, actionType, eventType: "fired" };
    const visitor = { account: { ...owner, headers: {} as typeof owner.headers } };
    const send = (sessionId: string | null, index = 0, more = {}) =>
      post("/triggers/event", "e-1", { ...event, sessionId, ...more }, { ...visitor, at: index % 2 ? other : server });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => send(`s${index % 3}`, index)));
    for (const { status, text } of answers) expect([status, text]).toEqual([200, '{"success":true,"recorded":true}']);
    expect(answers.filter(({ isReplay }) => isReplay === undefined)).toHaveLength(3);
    expect((await send(null)).isReplay).toBe(undefined);
    expect((await send(null)).isReplay).toBe("true");
    expect((await send("s0", 0, { eventType: "converted" })).status).toBe(409);
    const stats = await owner.call("GET", `/triggers/stats?agentId=${agentId}`);
    expect(stats.body).toEqual({ [trigger.id]: { firedCount: 4, convertedCount: 0 } });
  });

  it("does not store failures, so that a corrected request may reuse its Idempotency-Key", async () => {
    const agentId = await createAgent(owner);
    expect((await post("/tools", "mend", { ...createToolBody(agentId), name: "Not A Name" })).status).toBe(400);
    expect((await post("/tools", "mend", createToolBody(newId("agent")))).status).toBe(404);
    expect(await post("/tools", "mend", createToolBody(agentId))).toMatchObject({ status: 201, isReplay: undefined });
    expect((await post("/tools", "mend-2", createToolBody(agentId))).status).toBe(400); // the name is taken
    expect((await post("/tools", "mend-2", createToolBody(agentId, "other_name"))).status).toBe(201);
    expect(await listTools(agentId)).toHaveLength(2);
  });

  it.each([
    ["that is empty", ""],
    ["of 256 characters", "k".repeat(256)],
    ["with a space", "two words"],
    ["that is not ASCII", "clé"],
    ["with a tab", "a\tb"],
  ])("refuses an Idempotency-Key %s", async (_, key) => {
    const account = await server.createAccount();
    const { status, text } = await post("/agents", key, { name: "Desk" }, { account });
    expect([status, JSON.parse(text).error.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(await listAgents(account)).toEqual([]);
  });

  it("accepts an Idempotency-Key of up to 255 visible characters", async () => {
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("");
    for (const key of ["k", visible, "k".repeat(255)]) {
      expect((await post("/agents", key, { name: "Desk" })).status).toBe(201);
      expect((await post("/agents", key, { name: "Desk" })).isReplay).toBe("true");
    }
  });

  it("forgets an Idempotency-Key after 24 hours, and when the agent is deleted", async () => {
    const { db } = server.deps;
    const account = await server.createAccount();
    const listRows = () => db.selectFrom("idempotencyKeys").selectAll().execute();
    const first = await post("/agents", "old", { name: "Desk" }, { account });
    const [row] = (await listRows()).filter(({ agentId }) => agentId === JSON.parse(first.text).data.id);
    const setAge = (ms: number) =>
      db
        .updateTable("idempotencyKeys")
        .set({ createdAt: Date.now() - ms })
        .where("id", "=", row?.id ?? "")
        .execute();
    await setAge(DAY_MS - 60_000);
    expect((await post("/agents", "old", { name: "Desk" }, { account })).isReplay).toBe("true");
    await setAge(DAY_MS);
    const second = await post("/agents", "old", { name: "Another" }, { account });
    expect(second).toMatchObject({ status: 201, isReplay: undefined });

    await setAge(DAY_MS);
    const kept = (await listRows()).length;
    expect(await deleteExpiredResponses(db, Date.now() - 60_000)).toBe(0);
    expect(await deleteExpiredResponses(db, Date.now())).toBe(1);
    expect(await listRows()).toHaveLength(kept - 1);

    const third = await post("/agents", "gone", { name: "Desk" }, { account });
    await account.call("DELETE", `/agents/${JSON.parse(third.text).data.id}`);
    expect(await listRows()).toHaveLength(kept - 1);
  });

  describe("around the work of a route", () => {
    /** Creates a route that runs the given work, and a function that calls the route with a key. */
    async function withRoute(work: (keep: Parameters<Parameters<Idempotent["run"]>[1]>[0]) => Promise<unknown>) {
      const idempotency = createIdempotency(server.deps.db, { countBytes: async () => {} });
      const app = Fastify();
      app.post("/things", (request, reply) => idempotency.run({ request, reply, scope: "test" }, work));
      return async (key: string | null, body = {}) => {
        const headers = key === null ? {} : { "idempotency-key": key };
        const response = await app.inject({ method: "POST", url: "/things", payload: body, headers });
        return { status: response.statusCode, body: response.json(), replay: response.headers["idempotent-replay"] };
      };
    }
    type Idempotent = ReturnType<typeof createIdempotency>;

    it("responds when work that continues after the transaction of its Idempotency-Key ends", async () => {
      const agentId = await createAgent(owner);
      let times = 0;
      const call = await withRoute(async (keep) => {
        times++;
        await server.deps.db.transaction().execute(async (trx) => keep?.(trx, agentId, { state: "made" }));
        return { state: "delivered" };
      });
      const key = newId("key");
      expect(await call(key)).toMatchObject({ body: { state: "delivered" }, replay: undefined });
      expect(await call(key)).toMatchObject({ body: { state: "delivered" }, replay: "true" });
      expect(times).toBe(1);
      await call(null);
      await call(null);
      expect(times).toBe(3);
    });

    it("responds with what was stored when work fails after the transaction of its Idempotency-Key", async () => {
      const agentId = await createAgent(owner);
      const call = await withRoute(async (keep) => {
        await server.deps.db.transaction().execute(async (trx) => keep?.(trx, agentId, { state: "made" }));
        throw new Error("the process ends");
      });
      expect(await call(newId("key"))).toMatchObject({ status: 200, body: { state: "made" }, replay: "true" });
    });

    it("stores nothing under an Idempotency-Key whose work is rolled back", async () => {
      const agentId = await createAgent(owner);
      let isBroken = true;
      const call = await withRoute(async (keep) =>
        server.deps.db.transaction().execute(async (trx) => {
          await keep?.(trx, agentId, { state: "made" });
          if (isBroken) throw new Error("no");
          return { state: "made" };
        }),
      );
      const key = newId("key");
      expect((await call(key)).status).toBe(500);
      isBroken = false;
      expect(await call(key)).toMatchObject({ status: 200, replay: undefined });
    });

    it("fails only the item of a batch whose Idempotency-Key was used elsewhere", async () => {
      const agentId = await createAgent(owner);
      const { db } = server.deps;
      type Item = { name: string; also: ((trx: Executor) => Promise<void>) | undefined };
      const createWriter = () =>
        createBatchWriter<Item, void>(
          db,
          async (trx, items) => {
            for (const { name, also } of items) {
              const row = {
                organizationId: owner.organizationId,
                name,
                value: "",
                hosts: "[]",
                createdAt: 1,
                updatedAt: 1,
              };
              await trx.insertInto("secrets").values(row).execute();
              await also?.(trx);
            }
            return items.map(() => undefined);
          },
          { maxItems: 100 },
        );
      let created = 0;
      const make = (write: ReturnType<typeof createWriter>) =>
        withRoute(async (keep) => {
          const name = `batch_${created++}`;
          const answer = { name };
          await write({ name, also: keep && ((trx) => keep(trx, agentId, answer)) });
          return answer;
        });
      // Simulate two processes, each with its own batch. Most keys are in both batches.
      const [here, there] = [await make(createWriter()), await make(createWriter())];
      const prefix = newId("key");
      const calls = Array.from({ length: 20 }, (_, index) => (index % 2 ? here : there)(`${prefix}-${index >> 1}`));
      const answers = await Promise.all(calls);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      for (let index = 0; index < 20; index += 2) expect(answers[index]?.body).toEqual(answers[index + 1]?.body);
      const names = await db.selectFrom("secrets").select("name").where("name", "like", "batch%").execute();
      expect(names.map(({ name }) => name).sort()).toEqual([...new Set(answers.map(({ body }) => body.name))].sort());
      expect(names).toHaveLength(10);
    });
  });

  it("allows the Idempotency-Key header in CORS preflights and describes it in the OpenAPI document", async () => {
    const { paths } = (await server.app.inject("/openapi.json")).json();
    const withKey = Object.entries<{ post?: { parameters?: Array<{ name: string }> } }>(paths)
      .filter(([, { post }]) => post?.parameters?.some(({ name }) => name === "Idempotency-Key"))
      .map(([path]) => path);
    expect(withKey.sort()).toEqual([
      "/agents",
      "/canned-replies",
      "/conversations/{id}/messages",
      "/conversations/{id}/notes",
      "/documents",
      "/documents/upload",
      "/form-submissions/submit",
      "/sources",
      "/tools",
      "/triggers",
      "/triggers/event",
      "/visitors/{key}/notes",
      "/webhooks",
    ]);
  });
});
