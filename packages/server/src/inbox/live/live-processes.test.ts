import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgres, type TestDatabase } from "../../../../../test/databases.ts";
import { type LiveClient, openLive } from "../../../../../test/live-client.ts";
import { startProcess, temporaryFolder } from "../../../../../test/process.ts";
import "../../../../../test/property-seed.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createOwner, signedInBrowser } from "../../../../../test/session-client.ts";

/** Two servers that share nothing but a PostgreSQL database. */
let database: TestDatabase;
let here: TestServer;
let there: TestServer;
let agentId: string;
let email: string;
type Browser = Awaited<ReturnType<typeof signedInBrowser>>;
let browsers: { here: Browser; there: Browser };

beforeAll(async () => {
  database = await createPostgres();
  const env = { FOYER_LIVE_POLL: "10ms" };
  here = await startServer({ database, env, listen: true });
  there = await startServer({ database, env, listen: true });
  ({ email } = await createOwner(here));
  browsers = { here: await signedInBrowser(here, email), there: await signedInBrowser(there, email) };
  const agent = { name: "Desk", handoff: { isEnabled: true } };
  agentId = (await browsers.here.call("POST", "/agents", agent)).body.data.id;
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  await database.drop();
});

async function startConversation() {
  const payload = { agentId, messages: [{ role: "user", content: "Hello" }] };
  const answer = await here.app.inject({ method: "POST", url: "/chat", payload });
  const id = /"conversationId":"(\w+)"/.exec(answer.body)?.[1] ?? "";
  const headers = { authorization: `Bearer ${/"conversationToken":"([^"]+)"/.exec(answer.body)?.[1]}` };
  return { id, headers, address: `/conversations/${id}` };
}

const follow = (
  server: TestServer,
  { address, headers }: Awaited<ReturnType<typeof startConversation>>,
  last = "0:1",
) => openLive(`${server.url}${address}/events`, { ...headers, "last-event-id": last });

const followInbox = (server: TestServer, browser: Browser) => {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return openLive(`${server.url}/inbox/events`, { cookie });
};

describe("live streams of two processes", () => {
  it("count a conversation that starts, is read and resolved in the other process", async () => {
    const inbox = await followInbox(there, browsers.there);
    const { unread, open, resolved } = await inbox.until("counts");
    const talk = await startConversation();
    await inbox.until("counts", (counts) => counts.unread === unread + 1 && counts.open === open + 1);
    await browsers.here.call("POST", `${talk.address}/read`);
    await inbox.until("counts", (counts) => counts.unread === unread);
    await browsers.here.call("POST", `${talk.address}/resolve`);
    await inbox.until("counts", (counts) => counts.open === open && counts.resolved === resolved + 1);
    await browsers.here.call("POST", `${talk.address}/reopen`);
    await inbox.until("counts", (counts) => counts.open === open + 1 && counts.resolved === resolved);
    await inbox.leave();
  });

  it("deliver a member's actions in one process to the visitor in the other, and the visitor's to the team", async () => {
    const talk = await startConversation();
    const inbox = await followInbox(there, browsers.there);
    const { waiting } = await inbox.until("counts");
    await here.app.inject({ method: "POST", url: `${talk.address}/handoff`, headers: talk.headers, payload: {} });
    await inbox.until("conversation", ({ change }) => change.conversationId === talk.id);
    await inbox.until("counts", (counts) => counts.waiting === waiting + 1);
    const stream = await follow(here, talk);
    await stream.until("ownership");
    await here.app.inject({ method: "POST", url: `${talk.address}/typing`, headers: talk.headers });
    await inbox.until("typing");
    await browsers.there.call("POST", `${talk.address}/takeover`);
    await stream.until("ownership", ({ ownership }) => ownership.handler === "human");
    await browsers.there.call("POST", `${talk.address}/typing`);
    await stream.until("typing");
    await browsers.there.call("POST", `${talk.address}/messages`, { content: "I look at it." });
    await stream.until("message", ({ message }) => message.content === "I look at it.");
    await browsers.there.call("POST", `${talk.address}/return`, {});
    await stream.ended;
    expect(stream.texts()).toEqual(["I look at it."]);
    await inbox.leave();
  });

  it("report to the team what happens in conversations that an agent in the other process has", async () => {
    const other = await createOwner(here);
    const [browser, remote] = [await signedInBrowser(here, other.email), await signedInBrowser(there, other.email)];
    const own = (await browser.call("POST", "/agents", { name: "Own" })).body.data.id;
    const talkTo = async () => {
      const payload = { agentId: own, messages: [{ role: "user", content: "Hello" }] };
      const { body } = await here.app.inject({ method: "POST", url: "/chat", payload });
      return /"conversationId":"(\w+)"/.exec(body)?.[1] ?? "";
    };
    // Nobody follows the inbox yet. A member who opens it a moment later still receives this activity.
    const before = await talkTo();
    const inbox = await followInbox(there, remote);
    const activity = (id: string) =>
      inbox.until("activity", ({ conversations }) =>
        conversations.some((row) => row.conversationId === id && row.lastMessage?.role === "assistant"),
      );
    await activity(before);
    const id = await talkTo();
    await activity(id);
    await browser.call("DELETE", `/conversations/${id}`);
    await inbox.until("removed", ({ conversationId }) => conversationId === id);
    expect(inbox.events.some(({ type }) => type === "conversation")).toBe(false);
    await inbox.leave();
  });

  it("show a member as present whose inbox is open in the other process", async () => {
    const other = await createOwner(here);
    const [one, two] = [await signedInBrowser(here, other.email), await signedInBrowser(there, other.email)];
    const remote = await followInbox(there, two);
    await remote.until("presence", ({ members }) => members.some(({ isPresent }) => isPresent));
    // No member of this organization is connected here, so the presence comes from the other process.
    await expect
      .poll(() =>
        here.deps.db.selectFrom("livePresence").select("who").distinct().where("who", "=", other.userId).execute(),
      )
      .toHaveLength(1);
    const inbox = await followInbox(here, one);
    await inbox.until("presence", ({ members }) => members.every(({ isPresent }) => isPresent));
    await Promise.all([remote.leave(), inbox.leave()]);
  });

  it("end when the other process deletes the conversation, and report this to the inbox", async () => {
    const talk = await startConversation();
    await browsers.here.call("POST", `${talk.address}/takeover`);
    const [stream, inbox] = [await follow(here, talk), await followInbox(here, browsers.here)];
    await stream.until("ownership");
    await browsers.here.call("POST", `${talk.address}/messages`, { content: "Hi" });
    await inbox.until("conversation", ({ change }) => change.lastMessage?.text === "Hi");
    await browsers.there.call("DELETE", talk.address);
    await stream.ended;
    expect((await inbox.until("removed")).conversationId).toBe(talk.id);
    await inbox.leave();
  });

  it("continue in the other process when theirs is killed, without losing or repeating a message", async () => {
    const folder = temporaryFolder();
    if (database.address.kind !== "postgres") throw new Error("The processes share PostgreSQL.");
    const killed = await startProcess({
      DATABASE_URL: database.address.url,
      FOYER_SECRET: "a secret of the tests, long enough",
      FOYER_DATA_DIR: folder.path,
      FOYER_LOG_LEVEL: "silent",
    });
    const talk = await startConversation();
    await browsers.here.call("POST", `${talk.address}/takeover`);
    const write = (content: string) => browsers.here.call("POST", `${talk.address}/messages`, { content });
    const stream = await openLive(`${killed.url}${talk.address}/events`, { ...talk.headers, "last-event-id": "0:1" });
    await write("Before");
    await stream.until("message");
    killed.kill("SIGKILL");
    await write("Meanwhile");
    await Promise.all([stream.ended, killed.exited]);
    const resumed = await follow(here, talk, stream.events.at(-1)?.eventId);
    await write("After");
    await resumed.until("message", ({ message }) => message.content === "After");
    const texts = [...stream.texts(), ...resumed.texts()];
    expect(texts).toEqual(["Before", "Meanwhile", "After"]);
    await resumed.leave();
    folder.remove();
  });

  it("lose and repeat no message, whichever process writes it and wherever the client reconnects", async () => {
    const step = fc.record({
      action: fc.constantFrom("member here", "member there", "visitor", "reconnect here", "reconnect there"),
      waits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const talk = await startConversation();
        await browsers.here.call("POST", `${talk.address}/takeover`);
        const received: string[] = [];
        let last = "0:1";
        let stream = await follow(there, talk);
        const leave = async (left: LiveClient) => {
          await left.leave();
          received.push(...left.texts());
          last = left.events.at(-1)?.eventId ?? last;
        };
        const written: string[] = [];
        for (const { action, waits } of steps) {
          const content = `Message ${written.length}`;
          if (action.startsWith("reconnect")) {
            await leave(stream);
            stream = await follow(action === "reconnect here" ? here : there, talk, last);
          } else if (action === "visitor") {
            const payload = { agentId, conversationId: talk.id, messages: [{ role: "user", content }] };
            await here.app.inject({ method: "POST", url: "/chat", headers: talk.headers, payload });
            written.push(content);
          } else {
            const browser = action === "member here" ? browsers.here : browsers.there;
            const { status } = await browser.call("POST", `${talk.address}/messages`, { content });
            expect(status).toBe(201);
            written.push(content);
          }
          if (waits) await expect.poll(() => received.length + stream.texts().length).toBe(written.length);
        }
        await expect.poll(() => received.length + stream.texts().length).toBeGreaterThanOrEqual(written.length);
        await leave(stream);
        expect(received).toEqual(written);
      }),
      { numRuns: 6 },
    );
  });
});
