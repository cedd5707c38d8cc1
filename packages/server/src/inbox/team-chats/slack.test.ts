import { describe, expect, it, onTestFinished } from "vitest";
import { openOutbound } from "../../../../../test/outbound-servers.ts";
import { slackTokens, startSlack } from "../../../../../test/slack-server.ts";
import { createSlackChat } from "./slack.ts";
import type { IncomingMessage, TeamChatError } from "./team-chat.ts";

const never = new AbortController().signal;

async function start() {
  const slack = await startSlack();
  onTestFinished(() => slack.stop());
  const connect = (changes: Partial<typeof slackTokens & { channelId: string }> = {}, allow = ["127.0.0.1"]) =>
    createSlackChat(openOutbound({ allow }), {
      baseUrl: slack.url,
      organizationId: "org_one",
      channelId: slack.channelId,
      ...slackTokens,
      ...changes,
    });
  return { slack, connect, chat: connect() };
}

function follow(chat: ReturnType<typeof createSlackChat>, handle = async (_: IncomingMessage) => {}) {
  const stopped = new AbortController();
  const messages: IncomingMessage[] = [];
  const ended = chat
    .follow(
      {
        cursor: null,
        onConnected: async () => {},
        onCursor: async () => {},
        async onMessage(message) {
          await handle(message);
          messages.push(message);
        },
      },
      stopped.signal,
    )
    .catch((error: unknown) => error as TeamChatError);
  onTestFinished(async () => {
    stopped.abort(new Error("The test is over."));
    await ended;
  });
  return { messages, ended };
}

describe("the Slack client", () => {
  it("names the bot and the channel, and explains a missing invitation, a wrong token and a missing permission", async () => {
    const { chat, connect, slack } = await start();
    expect(await chat.check(never)).toEqual({ botName: "@foyer", chatTitle: "#support", hasTopics: false });
    const problem = (one: typeof chat) => one.check(never).catch((error: TeamChatError) => error.message);
    slack.state.isMember = false;
    expect(await problem(chat)).toContain("/invite @foyer");
    expect(await problem(connect({ appToken: "xapp-wrong" }))).toContain("app-level token");
    expect(await problem(connect({ botToken: "xoxb-wrong" }))).toContain("bot token (xoxb-…)");
    expect(await problem(connect({ channelId: "C1" }))).toContain("cannot find the channel");
    slack.failNext("auth.test", { body: { ok: false, error: "missing_scope", needed: "channels:read" } });
    expect(await problem(chat)).toContain("channels:read");
  });

  it("hides the token in what a server says about a failed call", async () => {
    const { chat, slack } = await start();
    slack.failNext("auth.test", { body: { ok: false, error: `no_such_token_${slackTokens.botToken}` } });
    await expect(chat.check(never)).rejects.toMatchObject({ message: expect.stringContaining("no_such_token_…") });
  });

  it("posts escaped text in threads, and honors the pause that Slack asks for", async () => {
    const { chat, slack } = await start();
    const first = await chat.post({ text: "<!channel> a & b", thread: null }, never);
    await chat.post({ text: "two", thread: first.thread }, never);
    expect(slack.posts.map(({ text, thread }) => [text, thread])).toEqual([
      ["&lt;!channel&gt; a &amp; b", null],
      ["two", first.messageId],
    ]);
    slack.failNext("chat.postMessage", { status: 429, headers: { "retry-after": "30" }, body: { ok: false } });
    const busy = chat.post({ text: "three", thread: null }, never);
    await expect(busy).rejects.toMatchObject({ problem: "busy", retryAfterMs: 30_000 });
  });

  it("acknowledges an event only after its message was handled, and receives it again otherwise", async () => {
    const { connect, slack } = await start();
    slack.say({ user: "U1", thread: "1.2", text: "see &lt;b&gt; <https://a.example/x|a.example/x>" });
    const failed = follow(connect(), async () => {
      throw new Error("The database is down.");
    });
    expect(((await failed.ended) as Error).message).toBe("The database is down.");
    expect(slack.isAcknowledged()).toBe(false);
    const { messages } = follow(connect());
    await slack.until(slack.isAcknowledged);
    expect(messages).toMatchObject([
      { thread: "1.2", sender: { id: "U1" }, content: { kind: "text", text: "see <b> https://a.example/x" } },
    ]);
  });

  it("reads commands and messages that it cannot forward, and ignores other channels and bots", async () => {
    const { connect, slack } = await start();
    const { messages } = follow(connect());
    await slack.until(slack.connected);
    slack.say({ user: "U1", text: "!return he wants blue" });
    slack.say({ user: "U1", text: "!Assign <@U0ADA>" });
    slack.say({ user: "U1", text: "!assign <mailto:ada@example.com|ada@example.com>" });
    slack.say({ user: "U1", text: "hi", channel: "C1" });
    slack.say({ user: "UBOT", text: "hi" });
    slack.say({ user: "U2", text: "hi", bot_id: "B2" });
    slack.say({ user: "U1", text: "", subtype: "channel_join" });
    slack.say({ user: "U1", text: "look", subtype: "file_share", files: [{}] });
    await slack.until(slack.isAcknowledged);
    expect(messages.map(({ content }) => content)).toEqual([
      { kind: "command", name: "return", argument: "he wants blue" },
      { kind: "command", name: "assign", argument: "@U0ADA" },
      { kind: "command", name: "assign", argument: "ada@example.com" },
      { kind: "text", text: expect.any(String), files: [{ name: expect.any(String), read: expect.any(Function) }] },
    ]);
  });

  it("opens a new connection when Slack asks for one, and reports one that broke", async () => {
    const { connect, slack } = await start();
    const { messages, ended } = follow(connect());
    await slack.until(slack.connected);
    slack.refresh();
    await slack.until(() => slack.state.connections === 2 && slack.connected());
    slack.say({ user: "U1", text: "after" });
    await slack.until(slack.isAcknowledged);
    expect(messages).toHaveLength(1);
    slack.cut();
    expect(await ended).toMatchObject({ problem: "unavailable" });
  });

  it.each([{}, { url: 7 }, { url: "nowhere" }])(
    "reports the answer %j to the request for a connection as a problem of the channel",
    async (answer) => {
      const { slack, chat } = await start();
      slack.failNext("apps.connections.open", { body: { ok: true, ...answer } });
      const { ended } = follow(chat);
      expect(await ended).toMatchObject({
        problem: "unavailable",
        message: expect.stringContaining("without the address"),
      });
    },
  );

  it("does not connect to a private address that Slack names", async () => {
    const { connect } = await start();
    const { ended } = follow(connect({}, []));
    expect(await ended).toMatchObject({
      problem: "unavailable",
      message: expect.stringContaining("may not be called"),
    });
  });
});
