import { newId } from "../packages/server/src/ids.ts";
import { openChat } from "./chat-client.ts";
import { checkReply } from "./check-reply.ts";
import { startServer } from "./server.ts";
import { startUpstream } from "./upstream.ts";

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>;

/** The real server between a chat client and a stand-in for its model providers, with one organization. */
export async function startModelServer(environment: (upstreamUrl: string) => Record<string, string>) {
  const upstream = await startUpstream();
  const server = await startServer({
    listen: true,
    env: { FOYER_LIMIT_CHAT_PER_SESSION: "0", ...environment(upstream.url) },
  });
  const owner = await server.createAccount();

  /** A management call with the organization's key, or with another organization's headers. */
  async function call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    payload?: object,
    { headers } = owner,
  ) {
    const response = await server.app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
    return { status: response.statusCode, body: response.json(), text: response.body };
  }
  /** Creates an agent with this model, a prompt about bikes, and temperature 30. @returns its id */
  async function createAgent(model: string, { headers } = owner): Promise<string> {
    const payload = { name: "Harbour", model, systemPrompt: "You sell bikes.", temperature: 30 };
    return (await call("POST", "/agents", payload, { ...owner, headers })).body.data.id;
  }
  const open = (agentId: string, content: string, more: object = {}) =>
    openChat(server.url, { agentId, messages: [{ role: "user", content }], ...more });

  return {
    server,
    upstream,
    owner,
    call,
    createAgent,
    open,
    /** A mock tool, as a member would create it. */
    async addTool(agentId: string, name: string, mockResponse: string, inputSchema: object): Promise<string> {
      const { organizationId } = owner;
      const tool = { id: newId("tool"), organizationId, agentId, name, description: `What ${name} does` };
      const kind = {
        executionType: "mock" as const,
        isEnabled: 1 as const,
        resultFor: "both" as const,
        displayConfig: null,
        mockResponse,
      };
      const times = { createdAt: Date.now(), updatedAt: Date.now() };
      const row = { ...tool, ...kind, ...times, inputSchema: JSON.stringify(inputSchema) };
      await server.deps.db.insertInto("tools").values(row).execute();
      return tool.id;
    },
    /** Sends a message, waits for the complete reply, and checks it against the rules of the stream. */
    ask: async (agentId: string, content: string, more: object = {}) => checkReply(await open(agentId, content, more)),
    /** The stored reply of a conversation's first turn. */
    storedReply: async (conversationId: string) =>
      (await call("GET", `/conversations/${conversationId}`)).body.data.messages[1],
    /**
     * The bodies of the requests that reached the provider since the last script was set. The server also lists the
     * models of a self-hosted provider, without a body.
     */
    sent: () => upstream.exchanges.filter(({ body }) => body !== "").map(({ body }) => JSON.parse(body)),
    async stop() {
      await server.stop();
      await upstream.stop();
    },
  };
}
