import { afterAll, beforeAll, expect, it } from "vitest";
import { joinText, openChat, openStream } from "../../../../../test/chat-client.ts";
import { createPostgres, type TestDatabase } from "../../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { chunk, eventStream, sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";

/** Two servers that share nothing but a PostgreSQL database. */
let database: TestDatabase;
let upstream: Upstream;
let here: TestServer;
let there: TestServer;
let agentId: string;

beforeAll(async () => {
  database = await createPostgres();
  upstream = await startUpstream();
  const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
  here = await startServer({ database, env, listen: true });
  there = await startServer({ database, env, listen: true });
  const { headers } = await here.createAccount();
  const response = await here.app.inject({ method: "POST", url: "/agents", headers, payload: { name: "Shared" } });
  agentId = response.json().data.id;
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  await upstream.stop();
  await database.drop();
});

async function startReply() {
  const gate = Promise.withResolvers<void>();
  upstream.script(async (exchange) => {
    const { send, end } = eventStream(exchange);
    send(chunk({ content: "Begun " }));
    await gate.promise;
    send(chunk({ content: "and done." }, "stop"));
    send("[DONE]");
    end();
  });
  const stream = await openChat(here.url, { agentId, messages: [{ role: "user", content: "Go" }] });
  const start = await stream.until("message_start");
  await stream.until("content_block_delta");
  if (start.type !== "message_start") throw new Error("not the start");
  return { stream, start, gate, headers: { authorization: `Bearer ${start.conversationToken}` } };
}

it("a client follows a reply that runs in another process", async () => {
  const { start, gate, headers } = await startReply();
  const followed = await openStream(`${there.url}/chat/${start.conversationId}/stream`, { headers });
  await followed.until("content_block_delta");
  gate.resolve();
  await followed.ended;
  expect(joinText(followed.events)).toBe("Begun and done.");
  expect(followed.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "end_turn" });
});

it("a request stops a reply that runs in another process", async () => {
  const { stream, start, headers } = await startReply();
  const url = `/chat/${start.conversationId}/stop`;
  expect((await there.app.inject({ method: "POST", url, headers })).statusCode).toBe(200);
  await stream.ended;
  expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "aborted" });
});

it("a new message ends a reply that runs in another process", async () => {
  const { stream, start, headers } = await startReply();
  upstream.script(sayWords("Newer."));
  const newer = await openChat(
    there.url,
    { agentId, conversationId: start.conversationId, messages: [{ role: "user", content: "Wait" }] },
    headers,
  );
  await newer.ended;
  expect(joinText(newer.events)).toBe("Newer.");
  await stream.ended;
  expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "aborted" });
});

/** Lets the model reply with "Once", and end when the returned gate is opened. */
function answerOnceOpened() {
  const gate = Promise.withResolvers<void>();
  upstream.script(async (exchange) => {
    const { send, end } = eventStream(exchange);
    send(chunk({ content: "Once" }));
    await gate.promise;
    send(chunk({}, "stop"));
    send("[DONE]");
    end();
  });
  return gate;
}

it("a message that is sent again to another process is stored once, and answered with the running reply", async () => {
  const { stream, start, gate: first, headers } = await startReply();
  first.resolve();
  await stream.ended;
  const gate = answerOnceOpened();
  const { conversationId } = start;
  const messages = [{ role: "user", content: "Again" }];
  const send = (url: string) =>
    openChat(url, { agentId, conversationId, messages, messageKey: "key", resumable: true }, headers);
  const [one, two] = await Promise.all([send(here.url), send(there.url)]);
  gate.resolve();
  await Promise.all([one.ended, two.ended]);
  expect([joinText(one.events), joinText(two.events)]).toEqual(["Once", "Once"]);
  expect(two.events[0]?.eventId).toBe(one.events[0]?.eventId);
  const { messageCount } = (
    await here.app.inject({ method: "GET", url: `/conversations/${conversationId}`, headers })
  ).json().data;
  expect(messageCount).toBe(4);
});

it("a first message that is sent to two processes at once begins one conversation", async () => {
  const gate = answerOnceOpened();
  const sent = { sessionId: "visitor", messageKey: "9f".repeat(16), resumable: true };
  const body = { agentId, messages: [{ role: "user", content: "Go" }], ...sent };
  const [one, two] = await Promise.all([openChat(here.url, body), openChat(there.url, body)]);
  gate.resolve();
  await Promise.all([one.ended, two.ended]);
  expect([joinText(one.events), joinText(two.events)]).toEqual(["Once", "Once"]);
  const { type, ...start } = one.events[0] ?? {};
  expect([type, two.events[0]]).toEqual(["message_start", expect.objectContaining(start)]);
});

it("a reply in another process is not replaced when the conversation is continued by its id only", async () => {
  const { stream, start, gate } = await startReply();
  const body = { agentId, conversationId: start.conversationId, messages: [{ role: "user", content: "Wait" }] };
  const refused = await openChat(there.url, body);
  expect(refused.response.status).toBe(409);
  gate.resolve();
  await stream.ended;
  expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "end_turn" });
});
