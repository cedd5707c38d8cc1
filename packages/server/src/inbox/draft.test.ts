import { afterAll, beforeAll, expect, it } from "vitest";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";

let upstream: Upstream;
let server: TestServer;
beforeAll(async () => {
  upstream = await startUpstream(sayWords("The refund takes three days."));
  server = await startServer({ env: { OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1` } });
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

it("the agent drafts an answer for a member of the organization, and nothing is stored in the conversation", async () => {
  const owner = await createOwner(server);
  const member = await signedInBrowser(server, (await createMember(server, owner.organizationId, "member")).email);
  const agentId = await createAgent(member, { model: "openai-compatible/test" });
  const payload = { agentId, messages: [{ role: "user", content: "Where is my refund?" }] };
  await server.app.inject({ method: "POST", url: "/chat", payload });
  const { id } = (await member.call("GET", `/conversations?agentId=${agentId}`)).body.data[0];
  const before = (await member.call("GET", `/conversations/${id}`)).body.data;
  const draft = await member.call("POST", `/conversations/${id}/draft`);
  expect([draft.status, draft.body]).toEqual([200, { data: { text: "The refund takes three days." }, error: null }]);
  expect((await member.call("GET", `/conversations/${id}`)).body.data).toEqual(before);
  const stranger = await signedInBrowser(server, (await createOwner(server)).email);
  expect((await stranger.call("POST", `/conversations/${id}/draft`)).status).toBe(404);
});
