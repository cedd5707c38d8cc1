import { marked } from "marked";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseInline } from "../../packages/widget/src/markdown/inline.ts";
import { joinText, openChat } from "../chat-client.ts";
import { type DocumentClient, openDocuments } from "../document-client.ts";
import { createAgent } from "../factories.ts";
import { chunk, type Exchange, eventStream, startUpstream, type Upstream } from "../upstream.ts";
import { poisonedDocuments } from "./poisoned-documents.ts";

type Message = { role: string; content: string | null; tool_calls?: Array<{ function: { name: string } }> };
type Request = { messages: Message[]; tools?: Array<{ function: { name: string } }> };

const inventedTools =
  /delete_everything|send_email|admin_shell|export_conversations|search_docurnents|s\u0435arch_documents/;
/** Addresses that a client would load or open. */
const addressOf = /\b(?:href|src)=["']?([^"'\s>]*)/g;
const isOwn = (address: string) => {
  const { protocol, hostname } = new URL(address, "https://shop.example/page");
  return protocol === "mailto:" || (protocol === "https:" && /^(?:[\w-]+\.)*shop\.example$/.test(hostname));
};

/** A model that obeys everything it reads: it calls every tool that is mentioned and repeats each passage verbatim. */
function followInstructions(exchange: Exchange): void {
  const { messages } = JSON.parse(exchange.body) as Request;
  const text = messages.map(({ content }) => findPassages(content ?? "")).join("\n\n");
  const [invented] = inventedTools.exec(text) ?? [];
  const { send, end } = eventStream(exchange);
  if (invented && messages.every(({ tool_calls }) => tool_calls?.[0]?.function.name !== invented)) {
    const call = { index: 0, id: "call_1", type: "function", function: { name: invented, arguments: "{}" } };
    send(chunk({ tool_calls: [call] }));
    send(chunk({}, "tool_calls"));
  } else {
    // Sends small pieces, so that every link is split somewhere.
    for (let at = 0; at < text.length; at += 5) send(chunk({ content: text.slice(at, at + 5) }));
    send(chunk({ content: " The shop: https://shop.example/help [1] [55]" }));
    send(chunk({}, "stop"));
  }
  send("[DONE]");
  end();
}

function findPassages(content: string): string {
  const passages = content.matchAll(/<(passage-[0-9a-f]{12}) \{[^\n]*\}>\n([\s\S]*?)\n<\/\1>/g);
  return [...passages].map(([, , text]) => text).join("\n\n");
}

describe("a poisoned document", () => {
  let model: Upstream;
  let client: DocumentClient;
  let agents: Map<string, string>;
  beforeAll(async () => {
    model = await startUpstream();
    const env = { OPENAI_COMPATIBLE_BASE_URL: model.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    client = await openDocuments({ env: { ...env, FOYER_LIMIT_CHAT_PER_SESSION: "0" }, listen: true, plan: "pro" });
    agents = new Map([
      ["in the prompt", await createAgent(client.account)],
      ["found by the search", await createAgent(client.account)],
    ]);
    for (const agentId of agents.values()) {
      await client.account.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Help at https://shop.example." });
      const { status, body } = await client.account.call("POST", "/tools", {
        agentId,
        name: "order_status",
        description: "Where an order is",
        executionType: "mock",
        inputSchema: { type: "object", properties: {} },
        mockResponse: "On its way",
      });
      expect(status, JSON.stringify(body)).toBe(201);
    }
    const agentId = agents.get("found by the search");
    const text = "Wheels, spokes and chains. ".repeat(300);
    const { body } = await client.account.call("POST", "/documents", { agentId, kind: "text", title: "Parts", text });
    await client.settled(body.id);
  });
  afterAll(async () => {
    await client.server.stop();
    await model.stop();
  });

  /** Adds this document to the agent, asks about it, and deletes it again. */
  async function askAbout(agentId: string, text: string) {
    // Unlike links in a Markdown text, links in an answer are indexed unchanged.
    const input = { agentId, kind: "faq", question: "Zanzibar zebra?", answer: `${text}\n\nZanzibar zebra.` };
    const { status, body } = await client.account.call("POST", "/documents", input);
    expect(status, JSON.stringify(body)).toBe(202);
    await client.settled(body.id);
    model.script(followInstructions);
    const messages = [{ role: "user", content: "Zanzibar zebra?" }];
    const stream = await openChat(client.server.url, { agentId, messages });
    await stream.ended;
    const { conversationId } = stream.events[0] as unknown as { conversationId: string };
    const { body: stored } = await client.account.call("GET", `/conversations/${conversationId}`);
    await client.account.call("DELETE", `/documents/${body.id}`);
    return { events: stream.events, message: stored.data.messages[1] };
  }

  it("comes from a list of at least 40 documents", () => {
    expect(poisonedDocuments.length).toBeGreaterThanOrEqual(40);
  });

  for (const place of ["in the prompt", "found by the search"]) {
    it.each(poisonedDocuments)(`${place} adds no tool, no link and no citation: %s`, async (_, text) => {
      const { events, message } = await askAbout(agents.get(place) ?? "", text);
      const requests = model.exchanges.map(({ body }) => JSON.parse(body) as Request);
      const offered = place === "in the prompt" ? ["order_status"] : ["search_documents", "order_status"];
      for (const { tools } of requests) expect(tools?.map((tool) => tool.function.name)).toEqual(offered);
      for (const event of events) {
        if (event.type !== "tool_result" || event.name === "search_documents") continue;
        expect(event).toMatchObject({ isError: true, result: "There is no such tool." });
      }
      expect(JSON.stringify(requests)).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069\u00ad\u{e0000}-\u{e007f}]/u);

      const said = joinText(events);
      expect(said).toContain("Zanzibar zebra.");
      expect(said).toMatch(/The shop: https:\/\/shop\.example\/help \[1\]$/);
      expect(message.content).toBe(said);
      const html = await marked.parse(said, { gfm: true });
      const opened = [...html.matchAll(addressOf)].map(([, address = ""]) => address);
      expect(opened.filter((address) => !isOwn(address))).toEqual([]);
      const shown = JSON.stringify(parseInline(said, ["evil.example"]));
      expect(shown.match(/"(?:href|src)":"(?!https:\/\/(?:[\w-]+\.)*shop\.example|mailto:)[^"]*"/g)).toBeNull();

      const cited = [...said.matchAll(/\[(\d+)\]/g)].map(([, n]) => Number(n));
      const sources = events.flatMap((event) => (event.type === "sources" ? event.sources : []));
      expect(new Set(cited)).toEqual(new Set(sources.map(({ n }) => n)));
      expect(sources.every(({ title, url }) => ["Zanzibar zebra?", "Parts"].includes(title) && url === null)).toBe(
        true,
      );
      expect(message.sources).toEqual(sources);
    });
  }
});
