import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChatStream, chat, textOf } from "../chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../databases.ts";
import { createAgent } from "../factories.ts";
import { startServer, type TestServer } from "../server.ts";
import { createOwner, signedInBrowser } from "../session-client.ts";
import { chunk, type Exchange, eventStream, startUpstream, type Upstream } from "../upstream.ts";

const races = Number(process.env.FOYER_HANDOFF_RACES ?? 20);
const AT_ONCE = 8;

/** Streams one word every few milliseconds, for longer than a takeover in another process takes. */
async function keepTalking(exchange: Exchange) {
  const { send, end } = eventStream(exchange);
  for (let word = 1; word <= 300 && !exchange.response.destroyed; word++) {
    send(chunk({ content: `word${word} ` }));
    await wait(5);
  }
  send(chunk({}, "stop"));
  send("[DONE]");
  end();
}

/** On PostgreSQL, the takeover is requested from another server than the one that runs the reply. */
onBothDatabases("a takeover against a running reply", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let here: TestServer;
  let there: TestServer;
  let member: Awaited<ReturnType<typeof signedInBrowser>>;
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream(keepTalking);
    const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    here = await startServer({ database, env, listen: true });
    there = database.address.kind === "postgres" ? await startServer({ database, env }) : here;
    const { email } = await createOwner(there);
    member = await signedInBrowser(there, email);
    agentId = await createAgent(member);
  });
  afterAll(async () => {
    await here.stop();
    if (there !== here) await there.stop();
    await upstream.stop();
    await database.drop();
  });

  const stored = (conversationId: string) =>
    here.deps.db
      .selectFrom("messages")
      .select(["role", "content", "stopReason", "authorName"])
      .where("conversationId", "=", conversationId)
      .orderBy("position")
      .execute();

  async function race(random: number) {
    const stream: ChatStream = await chat(here.url, { agentId, messages: [{ role: "user", content: "Talk" }] });
    const start = await stream.until("message_start");
    if (start.type !== "message_start") throw new Error("not the start");
    const { conversationId: id, conversationToken } = start;
    await wait(random * 350);
    const said = await member.call("POST", `/conversations/${id}/messages`, { content: "A person is here." });
    const atTakeover = { messages: await stored(id), heard: textOf(stream.events) };
    const headers = { authorization: `Bearer ${conversationToken}` };
    const answered = await chat(
      here.url,
      { agentId, conversationId: id, messages: [{ role: "user", content: "Thanks" }] },
      headers,
    );
    await Promise.all([stream.ended, answered.ended]);
    return {
      said,
      answered,
      atTakeover,
      heard: textOf(stream.events),
      messages: await stored(id),
      last: stream.events.at(-1),
    };
  }

  it("leaves no word of the agent stored or sent afterwards, and no message lost", { timeout: 3_600_000 }, async () => {
    const counts = { wordsStored: 0, wordsSent: 0, lost: 0, cutOff: 0 };
    for (let done = 0; done < races; done += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, races - done) }, () => race(Math.random()));
      for (const { said, answered, atTakeover, heard, messages, last } of await Promise.all(some)) {
        const agents = (rows: typeof messages) =>
          rows
            .filter(({ role, authorName }) => role === "assistant" && authorName === null)
            .map(({ content }) => content)
            .join("");
        if (agents(messages) !== agents(atTakeover.messages)) counts.wordsStored += 1;
        // Everything that the visitor received must be stored when the takeover is confirmed. Text beyond that was sent
        // afterwards.
        if (!agents(atTakeover.messages).startsWith(heard.trimEnd())) counts.wordsSent += 1;
        const others = messages.filter(({ role, authorName }) => role === "user" || authorName !== null);
        const expected = ["Talk", "A person is here.", "Thanks"];
        if (said.status !== 201 || others.map(({ content }) => content).join() !== expected.join()) counts.lost += 1;
        if (textOf(answered.events) !== "") counts.wordsSent += 1;
        if (last?.type === "message_stop" && last.stopReason === "handed_over") counts.cutOff += 1;
      }
    }
    console.info(`${races} races: ${JSON.stringify(counts)}`);
    expect(counts).toMatchObject({ wordsStored: 0, wordsSent: 0, lost: 0 });
    expect(counts.cutOff).toBeGreaterThan(0);
  });
});
