import * as contract from "@foyer/contract";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { startServer, type TestServer } from "../../../test/server.ts";
import { endpoints, type Input } from "./endpoints.ts";
import { createManagementClient, type ManagementClient } from "./management-client.ts";

/** Endpoints that a browser opens, and endpoints that respond with a stream or a file. */
const otherwise = [
  "chat",
  "resumeChat",
  "conversationEvents",
  "inboxEvents",
  "followMagicLink",
  "confirmMagicLink",
  "providerCallback",
  "signInByProvider",
  "verifyEmail",
  "confirmEmail",
];
const streamsAndFiles = ["exportVisitorData", "getAgentImage", "getDocumentFile", "getSubmissionFile", "streamDoctor"];

describe("the management client, against a real server,", () => {
  let server: TestServer;
  let client: ManagementClient;
  beforeAll(async () => {
    server = await startServer({ listen: true });
    const { key } = await server.createAccount();
    client = createManagementClient({ baseUrl: server.url, apiKey: key });
  });
  afterAll(() => server.stop());

  it("has a method for every endpoint", () => {
    const declared = Object.entries(contract).flatMap(([name, value]) =>
      typeof value === "object" && "url" in value ? [name] : [],
    );
    const missing = declared.filter((name) => !(name in endpoints));
    expect(missing.filter((name) => ![...otherwise, ...streamsAndFiles].includes(name))).toEqual([]);
  });

  it("creates, lists, updates and deletes without envelopes", async () => {
    const agent = await client.createAgent({ body: { name: "Harbour" } });
    expectTypeOf(agent).toEqualTypeOf<contract.Agent>();
    const renamed = await client.updateAgent({ id: agent.id, body: { name: "Harbour Bikes" } });
    expect((await client.listAgents()).map(({ name }) => name)).toEqual([renamed.name]);
    const { data, pagination } = await client.listConversations({ agentId: agent.id, limit: 5 });
    expect([data, pagination]).toEqual([[], { total: 0, limit: 5, offset: 0 }]);
    const conditions = { page: "/pricing" };
    const trigger = await client.createTrigger({
      agentId: agent.id,
      body: {
        name: "Hello & more",
        triggerType: "page_view",
        conditions,
        actionType: "show_bubble",
        actionConfig: { message: "Hi" },
      },
    });
    expect((await client.listTriggers({ agentId: agent.id }))[0]?.id).toBe(trigger.id);
    expect(await client.deleteAgent({ id: agent.id })).toEqual({ success: true });
  });

  it("rejects a write whose ifMatch is not the current state", async () => {
    const agent = await client.createAgent({ body: { name: "Harbour" } });
    const rename = (name: string) => client.updateAgent({ id: agent.id, body: { name } }, { ifMatch: agent.draftHash });
    await rename("Harbour Bikes");
    await expect(rename("Quay")).rejects.toMatchObject({ code: "PRECONDITION_FAILED", status: 412 });
  });

  it("overwrites any state with ifMatch *", async () => {
    const { id } = await client.createAgent({ body: { name: "Harbour" } });
    expect((await client.updateAgent({ id, body: { name: "Quay" } }, { ifMatch: "*" })).name).toBe("Quay");
  });

  it("retries a creation safely with its own idempotency key", async () => {
    const make = () => client.createAgent({ body: { name: "Once" } }, { idempotencyKey: "one" });
    expect((await make()).id).toBe((await make()).id);
  });

  it("encodes names in URLs and rejects with the server's message", async () => {
    await expect(client.getAgent({ id: "../agents" })).rejects.toMatchObject({ code: "NOT_FOUND", status: 404 });
    const asked: string[] = [];
    const fetch = async (address: unknown) => {
      asked.push(String(address));
      return Response.json({ retried: 1 });
    };
    const careful = createManagementClient({ baseUrl: server.url, fetch });
    // In a URL, these mean the current and the parent folder, even when they are percent-encoded.
    for (const id of [".", ".."]) {
      await expect(careful.retrySubmission({ id })).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    expect(asked).toEqual([]);
    const stranger = createManagementClient({ baseUrl: server.url, apiKey: "fyr_wrong" });
    await expect(stranger.listAgents()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("rejects with its own error for a foreign or incomplete response", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
    for (const body of ["<html>Sign in to the Wi-Fi</html>", "", broken]) {
      const other = createManagementClient({ baseUrl: server.url, fetch: async () => new Response(body) });
      await expect(other.listAgents()).rejects.toMatchObject({ name: "FoyerError", code: "UNREACHABLE" });
    }
  });
});

it("the management client type-checks the conditions of each trigger type", () => {
  type NewTrigger = Input<"createTrigger">["body"];
  const rest = { name: "Greet", actionType: "open_chat", actionConfig: {} } as const;
  const timed: NewTrigger = { ...rest, triggerType: "time_on_page", conditions: { timeOnPage: 30 } };
  // @ts-expect-error: `scrollDepth` belongs to another trigger type
  const wrong: NewTrigger = { ...rest, triggerType: "time_on_page", conditions: { scrollDepth: 30 } };
  expect(timed).not.toEqual(wrong);
});
