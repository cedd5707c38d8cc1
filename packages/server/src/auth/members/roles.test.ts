import { readFileSync } from "node:fs";
import * as contract from "@foyer/contract";
import { minimumRole } from "@foyer/contract/rules/roles";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";

type Endpoint = { method: string; url: string; config?: { access?: string } };

const endpoints = Object.values(contract as Record<string, unknown>).filter(
  (one): one is Endpoint => typeof one === "object" && one !== null && "method" in one && "url" in one,
);
/** The endpoints that members and API keys call. All others are open, or belong to a visitor or a person. */
const ofOrganizations = endpoints.filter(
  ({ config }) => config?.access !== undefined && !["public", "visitor", "user"].includes(config.access),
);
const guide = readFileSync(new URL("../../../../../docs/guides/team.md", import.meta.url), "utf8");
const documented = [...guide.matchAll(/^\| `(\w+) (\S+)` \| (admin|owner) \|$/gm)].map(
  ([, method, url, role]) => `${method} ${url} ${role}`,
);

describe("the table of roles in the guide", () => {
  it("names every endpoint that needs more than the role of a member, with its role", () => {
    const needed = ofOrganizations.flatMap(({ method, url }) => {
      const role = minimumRole(method, url);
      return role === "member" ? [] : [`${method} ${url} ${role}`];
    });
    expect(documented.toSorted()).toEqual([...new Set(needed)].toSorted());
  });
});

describe("a member", () => {
  let server: TestServer;
  let owner: Awaited<ReturnType<typeof signedInBrowser>>;
  let member: Awaited<ReturnType<typeof signedInBrowser>>;
  let agentId: string;
  beforeAll(async () => {
    server = await startServer({ env: { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" } });
    const created = await createOwner(server);
    owner = await signedInBrowser(server, created.email);
    member = await signedInBrowser(server, (await createMember(server, created.organizationId, "member")).email);
    agentId = (await owner.call("POST", "/agents", { name: "Harbour" })).body.data.id;
  });
  afterAll(() => server.stop());

  it.each([
    ["/trash"],
    ["/trash/agent_1"],
    ["/agents/agent_1"],
    ["/conversations/conv_1"],
    ["/documents/doc_1"],
    ["/tools/tool_1"],
    ["/triggers/trg_1"],
    ["/sources/source_1"],
    ["/form-submissions/sub_1"],
  ])("cannot delete %s permanently", async (url) => {
    expect((await member.call("DELETE", url)).status).toBe(403);
  });

  it.each([
    [{ requireIdentity: true }],
    [{ allowedOrigins: ["https://shop.example"] }],
    [{ publishRequiresTests: true }],
    [{ monthlyTokenBudget: 1 }],
    [{ monthlyCostBudget: 1 }],
    [{ retention: { conversations: 1 } }],
  ])("cannot change %j of an agent", async (changes) => {
    expect((await member.call("PATCH", `/agents/${agentId}`, changes)).status).toBe(403);
  });

  it.each([
    [{ requireIdentity: true }],
    [{ allowedOrigins: ["https://shop.example"] }],
    [{ publishRequiresTests: true }],
    [{ monthlyTokenBudget: 1 }],
    [{ monthlyCostBudget: 1 }],
    [{ retention: { conversations: 1 } }],
  ])("cannot create an agent with %j", async (settings) => {
    expect((await member.call("POST", "/agents", { name: "Pier", ...settings })).status).toBe(403);
  });

  it("can create and duplicate agents with the default settings", async () => {
    const created = await member.call("POST", "/agents", { name: "Pier", requireIdentity: false, allowedOrigins: [] });
    expect(created.status).toBe(201);
    expect((await member.call("POST", `/agents/${created.body.data.id}/duplicate`)).status).toBe(201);
  });

  it("cannot restore or roll out a version that requires no identity when the live one does", async () => {
    const { id } = (await owner.call("POST", "/agents", { name: "Safe", publishing: "manual" })).body.data;
    await owner.call("PATCH", `/agents/${id}`, { requireIdentity: true });
    await owner.call("POST", `/agents/${id}/publish`);
    const before = (await owner.call("GET", `/agents/${id}/versions`)).body.data.at(-1).version;
    expect((await member.call("POST", `/agents/${id}/versions/${before}/restore`)).status).toBe(403);
    const rollout = { version: before, percent: 100 };
    expect((await member.call("PUT", `/agents/${id}/rollout`, rollout)).status).toBe(403);
    expect((await owner.call("GET", `/agents/${id}`)).body.data.requireIdentity).toBe(true);
    expect((await owner.call("POST", `/agents/${id}/versions/${before}/restore`)).status).toBe(201);
  });

  it("can restore a version with the same safety settings", async () => {
    const { id } = (await owner.call("POST", "/agents", { name: "Same" })).body.data;
    await member.call("PATCH", `/agents/${id}`, { systemPrompt: "Sell bikes." });
    const before = (await owner.call("GET", `/agents/${id}/versions`)).body.data.at(-1).version;
    expect((await member.call("POST", `/agents/${id}/versions/${before}/restore`)).status).toBe(201);
  });

  it("cannot start a replay without a limit of its cost", async () => {
    const replay = { from: 1, to: "draft", sample: { n: 1 }, maxCost: null };
    expect((await member.call("POST", `/agents/${agentId}/replays`, replay)).status).toBe(403);
  });

  it("cannot delete several documents permanently, but can move them to the trash", async () => {
    const change = (action: string) => member.call("POST", "/documents/bulk", { ids: ["doc_1"], action });
    expect((await change("delete")).status).toBe(403);
    expect((await change("trash")).status).toBe(200);
  });

  it("can send these settings with their current values, with a change of another one", async () => {
    const { allowedOrigins, requireIdentity, monthlyTokenBudget } = (await owner.call("GET", `/agents/${agentId}`)).body
      .data;
    const changes = { allowedOrigins, requireIdentity, monthlyTokenBudget, name: "Harbour Bikes" };
    expect((await member.call("PATCH", `/agents/${agentId}`, changes)).status).toBe(200);
  });

  it("can move an agent to the trash and restore it", async () => {
    expect((await member.call("POST", `/agents/${agentId}/trash`)).status).toBe(200);
    expect((await member.call("POST", `/agents/${agentId}/restore`)).status).toBe(200);
  });
});
