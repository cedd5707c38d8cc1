import { afterAll, beforeAll, expect, it } from "vitest";
import { hostileLiterals } from "../../../../../test/hostile-addresses.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";

/** A server that is reachable by others, so addresses entered by its users must not lead into its own network. */
let server: TestServer;
let headers: { authorization: string };
let agentId: string;
beforeAll(async () => {
  server = await startServer({ env: { BASE_URL: "https://chat.example.com" } });
  ({ headers } = await server.createAccount());
  const agent = await server.app.inject({ method: "POST", url: "/agents", headers, payload: { name: "Harbour" } });
  agentId = agent.json().data.id;
});
afterAll(() => server.stop());

const form = { executionType: "form", formSchema: { fields: [{ name: "a", label: "A", type: "text" }] } };

/** Every field of a tool that contains a URL. */
const waysOut: Array<[path: string, tool: (url: string) => object]> = [
  ["httpUrl", (url) => ({ executionType: "http", httpUrl: url })],
  ["formWebhookUrl", (url) => ({ ...form, formWebhookUrl: url })],
  ["formPostActions.0.url", (url) => ({ ...form, formPostActions: [{ type: "webhook", url }] })],
  ["formPostActions.0.webhookUrl", (webhookUrl) => ({ ...form, formPostActions: [{ type: "webhook", webhookUrl }] })],
  [
    "formPostActions.0.webhookUrl",
    (webhookUrl) => ({ ...form, formPostActions: [{ type: "team_chat", webhookUrl, message: "Hello" }] }),
  ],
];

it.each(waysOut)("a hostile address cannot be saved as %s (%#)", async (path, tool) => {
  expect(hostileLiterals.length).toBeGreaterThanOrEqual(200);
  const known = { agentId, name: "call_out", description: "Calls out", inputSchema: { type: "object" } };
  for (const literal of hostileLiterals) {
    const payload = { ...known, ...tool(`http://${literal}/`) };
    const response = await server.app.inject({ method: "POST", url: "/tools", headers, payload });
    expect(response.statusCode, literal).toBe(400);
    expect(response.json().error.details[0].path, literal).toBe(path);
  }
  const listed = await server.app.inject({ url: `/tools?agentId=${agentId}`, headers });
  expect(listed.json()).toEqual([]);
});
