import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { type DnsQuestion, startDnsServer } from "../../../../../test/dns-server.ts";
import { close, listen } from "../../../../../test/outbound-servers.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { chunk, eventStream, sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";
import { createOutbound, type Outbound } from "../../outbound/guarded-request.ts";

type Names = Awaited<ReturnType<typeof startDnsServer>>;
type Answered = Awaited<ReturnType<Parameters<typeof startDnsServer>[0]>>;

describe("an HTTP tool in a chat with a hostile name server", () => {
  let server: TestServer;
  let model: Upstream;
  let names: Names;
  let outbound: Outbound;
  let account: Awaited<ReturnType<TestServer["createAccount"]>>;
  let answer: (question: DnsQuestion) => Answered;
  let port: number;
  /**
   * The addresses to which connections were made. 127.0.0.1 is allowed and represents the public internet. All others
   * are internal.
   */
  const reached: (string | undefined)[] = [];

  const everywhere = createServer((request, response) => {
    reached.push(request.socket.localAddress?.replace("::ffff:", ""));
    response.setHeader("connection", "close");
    response.end("reached");
  });

  beforeAll(async () => {
    ({ port } = await listen(everywhere));
    names = await startDnsServer((question) => answer(question));
    outbound = createOutbound({ allowPrivate: false, allow: ["127.0.0.1/32"], resolve: names.resolve });
    model = await startUpstream();
    const env = { BASE_URL: "https://chat.example.com", OPENAI_COMPATIBLE_BASE_URL: model.url };
    const models = { FOYER_DEFAULT_MODEL: "openai-compatible/test", FOYER_LIMIT_CHAT_PER_IP: "0" };
    server = await startServer({ env: { ...env, ...models }, listen: true, outbound });
    account = await server.createAccount();
  });
  beforeEach(() => {
    reached.length = 0;
    names.asked.length = 0;
  });
  afterAll(async () => {
    await server.stop();
    await outbound.close();
    await names.close();
    await model.stop();
    await close(everywhere);
  });

  async function makeTool() {
    const agent = await account.call("POST", "/agents", { name: "Harbour" });
    expect(agent).toMatchObject({ status: 201 });
    const agentId: string = agent.body.data.id;
    const { status, body } = await account.call("POST", "/tools", {
      agentId,
      name: "look_up",
      description: "Looks up",
      inputSchema: { type: "object" },
      executionType: "http",
      httpUrl: `http://evil.test:${port}/x`,
    });
    expect(status).toBe(201);
    return { agentId, id: body.id as string };
  }

  /**
   * The model calls the tool and writes one word. @returns the parts about the tool that the visitor and the model
   * received
   */
  async function callInChat(agentId: string) {
    let step = 0;
    model.script((exchange) => {
      if (step++ > 0) return sayWords("Done.")(exchange);
      const { send, end } = eventStream(exchange);
      send(
        chunk({ tool_calls: [{ index: 0, id: "1", function: { name: "look_up", arguments: "{}" } }] }, "tool_calls"),
      );
      send("[DONE]");
      end();
    });
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content: "Look it up." }] });
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "end_turn" });
    const messages: Array<{ role: string; content: string }> = JSON.parse(model.exchanges.at(-1)?.body ?? "").messages;
    const told = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    return { result: stream.events.find((event) => event.type === "tool_result"), told };
  }

  it.each<[string, (question: DnsQuestion) => Answered]>([
    ["a loopback address", ({ type }) => (type === "A" ? [{ type, data: "127.0.0.2" }] : [])],
    ["IPv6 loopback beside an open address", ({ type }) => [{ type, data: type === "A" ? "127.0.0.1" : "::1" }]],
    ["a mapped address", ({ type }) => (type === "AAAA" ? [{ type, data: "::ffff:127.0.0.2" }] : [])],
    [
      "an alias of a name on loopback",
      ({ type }) =>
        type === "A"
          ? [
              { type: "CNAME", data: "inside.test" },
              { type, data: "127.0.0.2", name: "inside.test" },
            ]
          : [],
    ],
  ])("reaches nothing by %s and shows the reason to members only", async (_what, hostile) => {
    answer = hostile;
    const { agentId, id } = await makeTool();
    const { result, told } = await callInChat(agentId);
    expect(result).toMatchObject({ isError: true, result: "Not reachable" });
    expect(told).toEqual(["Not reachable"]);
    const tried = await account.call("POST", `/tools/${id}/test`, {});
    expect(tried.body).toMatchObject({ isError: true, forVisitor: { result: "Not reachable" } });
    expect(tried.body).toMatchObject({
      forModel: "Not reachable",
      problem: expect.stringContaining("evil.test is at "),
    });
    expect(names.asked).toHaveLength(4);
    expect(reached).toEqual([]);
  });

  it("reaches a public address, and nothing once the name resolves to a private one", async () => {
    answer = ({ type, nth }) => (type === "A" ? [{ type, data: nth === 1 ? "127.0.0.1" : "127.0.0.2" }] : []);
    const { agentId } = await makeTool();
    expect((await callInChat(agentId)).result).toMatchObject({ isError: false, result: "reached" });
    expect((await callInChat(agentId)).result).toMatchObject({ isError: true, result: "Not reachable" });
    expect((await callInChat(agentId)).result).toMatchObject({ isError: true, result: "Not reachable" });
    expect(reached).toEqual(["127.0.0.1"]);
  });
});
