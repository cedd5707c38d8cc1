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
