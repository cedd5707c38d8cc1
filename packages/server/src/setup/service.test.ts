import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPostgres, onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { findMember } from "../auth/account-store.ts";
import { setUpLink } from "./setup-token.ts";

const body = { email: "Owner@Example.com ", password: "twelve chars" };
const refusal = {
  data: null,
  error: { code: "NOT_FOUND", message: "This setup link is not valid, or this server is already set up." },
};

onBothDatabases("setup", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let token: string;
  beforeEach(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    token = readToken(server);
  });
  afterEach(async () => {
    await server.stop();
    await database.drop();
  });

  const setUp = async (payload: object, at = server) => {
    const response = await at.app.inject({ method: "POST", url: "/auth/setup", payload });
    return { status: response.statusCode, headers: response.headers, body: response.json() };
  };
  const countUsers = async () => (await server.deps.db.selectFrom("users").select("id").execute()).length;

  it("creates an owner on the pro plan, a working API key, and an agent that can answer questions", async () => {
    const { status, headers, body: answer } = await setUp({ token, ...body });
    expect(status).toBe(201);
    expect(headers["cache-control"]).toBe("no-store");
    expect(answer).toEqual({
      data: {
        agentId: expect.stringMatching(/^agent_[0-9a-z]{26}$/),
        apiKey: expect.stringMatching(/^fyr_[0-9A-Za-z]{46}$/),
      },
      error: null,
    });
    const { agentId, apiKey } = answer.data;
    const read = await server.app.inject({
      method: "GET",
      url: `/agents/${agentId}`,
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(read.json().data).toMatchObject({
      name: "Harbour",
      systemPrompt: expect.stringContaining("Saturday: open from 10:00 to 16:00"),
      widget: { greeting: expect.stringContaining("Harbour Bikes"), suggestions: expect.any(Array) },
    });
    const member = await findMember(server.deps.db, "owner@example.com");
    const organizations = await server.deps.db.selectFrom("organizations").select(["id", "plan"]).execute();
    expect(organizations).toEqual([{ id: member?.organizationId, plan: "pro" }]);
  });

  it("names the organization as requested, or by a neutral default, and never after the email address", async () => {
    const names = async () => server.deps.db.selectFrom("organizations").select("name").execute();
    const refused = await setUp({ token, ...body, organizationName: "See https://evil.example" });
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "organizationName"]);
    expect((await setUp({ token, ...body, organizationName: " Harbour Bikes " })).status).toBe(201);
    expect(await names()).toEqual([{ name: "Harbour Bikes" }]);
  });

  it("records itself, the first agent and the first key in the audit log", async () => {
    await setUp({ token, ...body });
    const entries = await server.deps.db.selectFrom("auditLog").selectAll().orderBy("id").execute();
    expect(entries.map(({ action, resourceName }) => [action, resourceName])).toEqual([
      ["set-up", "owner@example.com"],
      ["POST /api-keys", "Setup"],
      ["POST /agents", "Harbour"],
    ]);
    const [organization] = await server.deps.db.selectFrom("organizations").select("name").execute();
    expect(organization).toEqual({ name: "My organization" });
  });

  it("verifies the token before validating anything else", async () => {
    const check = async (given: string) => {
      const call = { method: "POST", url: "/auth/setup/check", payload: { token: given } } as const;
      const response = await server.app.inject(call);
      return [response.statusCode, response.json()];
    };
    expect(await check("wrong")).toEqual([404, refusal]);
    expect(await check(token)).toEqual([200, { data: { success: true }, error: null }]);
    await setUp({ token, ...body });
    expect(await check(token)).toEqual([404, refusal]);
  });

  it("is the first step that the sign-in page shows until it is done", async () => {
    const needsSetUp = async () => (await server.app.inject("/auth/options")).json().needsSetUp;
    expect(await needsSetUp()).toBe(true);
    await setUp({ token, ...body });
    expect(await needsSetUp()).toBe(false);
  });

  it("names the agent as requested", async () => {
    const { apiKey } = (await setUp({ token, ...body, agentName: " Pier " })).body.data;
    const headers = { authorization: `Bearer ${apiKey}` };
    const [agent] = (await server.app.inject({ method: "GET", url: "/agents", headers })).json().data;
    expect(agent).toMatchObject({ name: "Pier", slug: "pier" });
  });

  it("responds the same to a wrong token and to a second use", async () => {
    const wrong = await setUp({ token: `${token}x`, ...body });
    expect(await countUsers()).toBe(0);
    await setUp({ token, ...body });
    const second = await setUp({ token, email: "other@example.com", password: body.password });
    expect([wrong.status, second.status]).toEqual([404, 404]);
    expect(wrong.body).toEqual(refusal);
    expect(second.body).toEqual(refusal);
    expect(await countUsers()).toBe(1);
  });

  it("reports an error for each invalid field and creates nothing", async () => {
    const cases: Array<[object, string]> = [
      [{ ...body, password: "eleven char" }, "password"],
      [{ ...body, email: "nobody" }, "email"],
      [{ ...body, agentName: "  " }, "agentName"],
      [{ email: body.email }, "password"],
    ];
    for (const [fields, path] of cases) {
      const { status, body: answer } = await setUp({ token, ...fields });
      expect([status, answer.error.code, answer.error.details[0].path]).toEqual([400, "VALIDATION_ERROR", path]);
    }
    expect(await countUsers()).toBe(0);
  });

  it("lets one of many concurrent requests win", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => setUp({ token, ...body, email: `owner${i}@example.com` })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(11).fill(404)]);
    expect(await countUsers()).toBe(1);
  });
});

describe("setup by two processes that share a database", () => {
  it("lets one of them win", async () => {
    const database = await createPostgres();
    const servers = [await startServer({ database }), await startServer({ database })];
    const [first] = servers;
    if (!first) throw new Error("no server");
    const calls = Array.from({ length: 8 }, (_, i) =>
      servers[i % 2]?.app.inject({
        method: "POST",
        url: "/auth/setup",
        payload: { token: readToken(first), ...body, email: `owner${i}@example.com` },
      }),
    );
    const statuses = (await Promise.all(calls)).map((response) => response?.statusCode);
    expect(statuses.toSorted()).toEqual([201, ...Array(7).fill(404)]);
    expect(await first.deps.db.selectFrom("users").select("id").execute()).toHaveLength(1);
    for (const server of servers) await server.stop();
    await database.drop();
  });
});

function readToken(server: TestServer) {
  return new URL(setUpLink(server.deps)).searchParams.get("token") ?? "";
}
