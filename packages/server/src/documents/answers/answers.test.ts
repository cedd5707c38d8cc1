import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type DocumentClient, openDocuments } from "../../../../../test/document-client.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { createMember, signedInBrowser } from "../../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";

type Group = { id: string; question: string; otherWordings: string[]; count: number };

onBothDatabases("the knowledge API", (createDatabase) => {
  let database: TestDatabase;
  let model: Upstream;
  let client: DocumentClient;
  beforeAll(async () => {
    database = await createDatabase();
    model = await startUpstream();
    const env = { OPENAI_COMPATIBLE_BASE_URL: model.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    client = await openDocuments({ database, env, listen: true });
  });
  afterAll(async () => {
    await client.server.stop();
    await model.stop();
    await database.drop();
  });
  const call = (...input: Parameters<DocumentClient["account"]["call"]>) => client.account.call(...input);

  async function addText(agentId: string, title: string, text: string, citation = "link"): Promise<string> {
    const { body } = await call("POST", "/documents", { agentId, kind: "text", title, text, citation });
    expect(await client.settled(body.id)).toMatchObject({ state: "ready" });
    return body.id;
  }

  /** An agent that knows when the shop is open, and has too many documents for its prompt. */
  async function createAgentWithHours(citation = "link") {
    const agentId = await createAgent(client.account);
    const documentId = await addText(agentId, "Opening hours", "On Sunday we are open from 11 to 15.", citation);
    await addText(agentId, "12345", "67890 ".repeat(1_100));
    return { agentId, documentId };
  }

  async function ask(agentId: string, content: string, answer: string) {
    model.script(sayWords(answer));
    const stream = await openChat(client.server.url, { agentId, messages: [{ role: "user", content }] });
    await stream.ended;
    const { conversationId, conversationToken } = (await stream.until("message_start")) as never as {
      conversationId: string;
      conversationToken: string;
    };
    const { body } = await call("GET", `/conversations/${conversationId}`);
    return { conversationId, token: conversationToken, events: stream.events, reply: body.data.messages[1] };
  }

  async function listUnanswered(agentId: string, query = ""): Promise<Group[]> {
    const { status, body } = await call("GET", `/documents/unanswered?agentId=${agentId}${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.questions;
  }

  it("lists questions whose reply cites nothing as unanswered, grouped by their words and counted, newest first", async () => {
    const { agentId } = await createAgentWithHours();
    await ask(agentId, "Do you sell surfboards on Sunday?", "I don't know.");
    await ask(agentId, "When are you open on Sunday?", "From 11 to 15 [1].");
    await ask(agentId, "xylophone", "I don't know.");
    await ask(agentId, "On Sunday, do you repair a surfboard", "I don't know.");
    await ask(agentId, "on sunday do you sell surfboards", "I don't know.");
    const last = await ask(agentId, "Do you sell surfboards on Sunday?", "I don't know.");
    const groups = await listUnanswered(agentId);
    expect(groups).toMatchObject([
      {
        question: "Do you sell surfboards on Sunday?",
        otherWordings: ["on sunday do you sell surfboards"],
        count: 3,
        reasons: { nothingFound: 0, notCited: 3, ratedDown: 0 },
        conversationId: last.conversationId,
        messageId: last.reply.id,
      },
      { question: "On Sunday, do you repair a surfboard", otherWordings: [], count: 1 },
      { question: "xylophone", otherWordings: [], count: 1, reasons: { nothingFound: 1, notCited: 0, ratedDown: 0 } },
    ]);
    const found = async (query: string) => (await listUnanswered(agentId, query)).map(({ question }) => question);
    expect(await found("&reason=nothing_found")).toEqual(["xylophone"]);
    expect(await found("&limit=1&offset=2")).toEqual(["xylophone"]);
    expect(await found("&to=2020-01-01")).toEqual([]);
    expect(await found("&from=2020-01-01&limit=1")).toEqual(["Do you sell surfboards on Sunday?"]);
    const { body } = await call("GET", `/documents/unanswered?agentId=${agentId}&limit=1`);
    expect(body.pagination).toEqual({ total: 3, limit: 1, offset: 0 });
  });

  it("does not list greetings, hidden citations, failed replies and members' conversations as unanswered questions", async () => {
    const { agentId } = await createAgentWithHours("hidden");
    await ask(agentId, "Hi!", "Hello!");
    const hidden = await ask(agentId, "When are you open on Sunday?", "From 11 to 15 [1].");
    expect(hidden.reply).toMatchObject({ content: "From 11 to 15.", sources: [] });
    expect(hidden.reply.searches[0].passages).toMatchObject([{ n: 1, isCited: true }]);
    model.script(({ response }) => response.writeHead(400).end("{}"));
    const stream = await openChat(client.server.url, { agentId, messages: [{ role: "user", content: "Surfboards?" }] });
    await stream.ended;
    const { email } = await createMember(client.server, client.account.organizationId, "member");
    const browser = await signedInBrowser(client.server, email);
    model.script(sayWords("I don't know."));
    await browser.call("POST", "/chat", { agentId, messages: [{ role: "user", content: "Do you sell kayaks?" }] });
    expect(await listUnanswered(agentId)).toEqual([]);
  });

  it("finds unanswered questions in the same way when the documents are part of the prompt", async () => {
    const agentId = await createAgent(client.account);
    const documentId = await addText(agentId, "Opening hours", "On Sunday we are open from 11 to 15.", "hidden");
    await ask(agentId, "Hello!", "Hello!");
    const { reply } = await ask(agentId, "When are you open on Sunday?", "From 11 to 15 [1].");
    expect(reply).toMatchObject({ content: "From 11 to 15.", sources: [] });
    expect(reply.searches).toMatchObject([
      { kind: "prompt", queries: [], ms: null, passages: [{ documentId, isCited: true, score: null }], total: 1 },
    ]);
    expect(await listUnanswered(agentId)).toEqual([]);
    const uncited = await ask(agentId, "Do you sell surfboards?", "I don't know.");
    expect(uncited.reply.searches).toMatchObject([{ kind: "prompt", passages: [], total: 1 }]);
    expect(await listUnanswered(agentId)).toMatchObject([
      { question: "Do you sell surfboards?", reasons: { notCited: 1 } },
    ]);
  });

  it("lists a question as unanswered while its reply is rated down", async () => {
    const agentId = await createAgent(client.account);
    const { conversationId, reply } = await ask(agentId, "Do you sell canoes?", "Of course we do.");
    expect(await listUnanswered(agentId)).toEqual([]);
    const rate = (rating: string) =>
      call("POST", `/conversations/${conversationId}/feedback`, { messageId: reply.id, rating });
    await rate("down");
    expect(await listUnanswered(agentId, "&reason=rated_down")).toMatchObject([
      { question: "Do you sell canoes?", reasons: { nothingFound: 0, notCited: 0, ratedDown: 1 } },
    ]);
    await rate("up");
    expect(await listUnanswered(agentId)).toEqual([]);
  });

  it("removes dismissed unanswered questions from the list, including those asked later", async () => {
    const { agentId } = await createAgentWithHours();
    await ask(agentId, "Do you sell surfboards?", "I don't know.");
    const [group] = await listUnanswered(agentId);
    const dismiss = () => call("POST", "/documents/unanswered/dismiss", { agentId, ids: [group?.id, "nobodys"] });
    expect((await dismiss()).body).toEqual({ dismissed: 1 });
    expect((await dismiss()).body).toEqual({ dismissed: 1 });
    await ask(agentId, "Do you sell surfboards?", "I don't know.");
    expect(await listUnanswered(agentId)).toEqual([]);
  });

  it("removes an unanswered question when an FAQ entry answers it, and lists it again when that does not help", async () => {
    const { agentId } = await createAgentWithHours();
    await ask(agentId, "Do you sell surfboards?", "I don't know.");
    const [group] = await listUnanswered(agentId);
    const faq = { agentId, kind: "faq", question: group?.question, otherWordings: group?.otherWordings, answer: "No." };
    const { status, body } = await call("POST", "/documents", { ...faq, unansweredId: group?.id });
    expect(status).toBe(202);
    expect(await listUnanswered(agentId)).toEqual([]);
    await client.settled(body.id);
    await ask(agentId, "Do you sell surfboards?", "We don't [1].");
    expect(await listUnanswered(agentId)).toEqual([]);
    await ask(agentId, "Do you sell surfboards?", "I don't know.");
    expect(await listUnanswered(agentId)).toMatchObject([{ id: group?.id, count: 1 }]);
  });

  it("deletes unanswered questions with their conversation and their agent", async () => {
    const { agentId, documentId } = await createAgentWithHours();
    const { conversationId } = await ask(agentId, "Do you sell surfboards?", "I don't know.");
    await ask(agentId, "Are you open on Sunday?", "Yes [1].");
    const [group] = await listUnanswered(agentId);
    await call("POST", "/documents/unanswered/dismiss", { agentId, ids: [group?.id] });
    const { db } = client.server.deps;
    const rows = () => db.selectFrom("unansweredQuestions").select("question").where("agentId", "=", agentId).execute();
    expect(await rows()).toHaveLength(1);
    await call("DELETE", `/conversations/${conversationId}`);
    expect(await rows()).toEqual([]);
    await ask(agentId, "Do you sell kayaks?", "I don't know.");
    expect(await rows()).toHaveLength(1);
    expect((await call("DELETE", `/agents/${agentId}`)).status).toBe(200);
    expect(await rows()).toEqual([]);
    const closed = db.selectFrom("closedQuestions").select("groupId").where("agentId", "=", agentId);
    const cited = db.selectFrom("documentCitations").select("messageId").where("documentId", "=", documentId);
    expect([await closed.execute(), await cited.execute()]).toEqual([[], []]);
  });

  describe("searches of a reply", () => {
    it("shows the searches of a reply to members with queries, passages, citations and time, and never to visitors", async () => {
      const { agentId, documentId } = await createAgentWithHours();
      const { conversationId, token, events, reply } = await ask(agentId, "Are you open on Sunday?", "Yes [1].");
      const passage = {
        n: 1,
        documentId,
        title: "Opening hours",
        heading: null,
        url: null,
        page: null,
        snippet: "On Sunday we are open from 11 to 15.",
        score: expect.any(Number),
        matched: expect.arrayContaining(["sunday"]),
        isCited: true,
      };
      const ms = expect.any(Number);
      expect(reply.searches).toEqual([
        { kind: "search", queries: ["Are you open on Sunday?"], ms, isError: false, passages: [passage], total: 1 },
      ]);
      const visitor = { headers: { authorization: `Bearer ${token}` } };
      const read = await client.server.app.inject({ url: `/conversations/${conversationId}`, ...visitor });
      expect(read.json().data.messages[1]).toMatchObject({ sources: [{ n: 1 }] });
      const resumed = await fetch(`${client.server.url}/chat/${conversationId}/stream`, visitor);
      for (const seen of [read.body, await resumed.text(), JSON.stringify(events)]) {
        expect(seen).not.toMatch(/searches|searchMs|"score"|"matched"|isCited|documentId/);
      }
    });

    it("lists the replies that cite a document as its uses, newest first", async () => {
      const { agentId, documentId } = await createAgentWithHours();
      await ask(agentId, "Are you open on Sunday?", "Yes [1]. Until 15 [1].");
      await ask(agentId, "Do you sell surfboards on Sunday?", "I don't know.");
      const { conversationId, reply } = await ask(agentId, "When do you open on Sunday?", "At 11 [1].");
      const { body } = await call("GET", `/documents/${documentId}/uses`);
      expect(body).toMatchObject({
        uses: [
          { conversationId, messageId: reply.id, question: "When do you open on Sunday?" },
          { question: "Are you open on Sunday?" },
        ],
        pagination: { total: 2, limit: 20, offset: 0 },
      });
      expect((await call("GET", `/documents/${documentId}/uses?limit=1&offset=1`)).body.uses).toHaveLength(1);
    });
  });

  it("responds 404 for another organization's unanswered questions, which cannot be dismissed or answered", async () => {
    const { agentId, documentId } = await createAgentWithHours();
    await ask(agentId, "Do you sell surfboards?", "I don't know.");
    const [group] = await listUnanswered(agentId);
    const stranger = await client.server.createAccount();
    const own = await createAgent(stranger);
    expect((await stranger.call("GET", `/documents/unanswered?agentId=${agentId}`)).status).toBe(404);
    expect((await stranger.call("GET", `/documents/${documentId}/uses`)).status).toBe(404);
    const dismiss = (id: string) =>
      stranger.call("POST", "/documents/unanswered/dismiss", { agentId: id, ids: [group?.id] });
    expect((await dismiss(agentId)).status).toBe(404);
    expect((await dismiss(own)).body).toEqual({ dismissed: 0 });
    const faq = { agentId: own, kind: "faq", question: "Q", answer: "A", unansweredId: group?.id };
    expect((await stranger.call("POST", "/documents", faq)).status).toBe(202);
    expect(await listUnanswered(agentId)).toHaveLength(1);
  });
});
