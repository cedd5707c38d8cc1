import { describe, expect, it, onTestFinished } from "vitest";
import { openOutbound, startHttpServer } from "../../../../../test/outbound-servers.ts";
import { startTelegram, telegramToken } from "../../../../../test/telegram-server.ts";
import type { IncomingMessage, TeamChatError } from "./team-chat.ts";
import { createTelegramChat } from "./telegram.ts";

const never = new AbortController().signal;

async function start(options: { isForum?: boolean; chatId?: string; token?: string } = {}) {
  const telegram = await startTelegram(options);
  onTestFinished(() => telegram.stop());
  const connect = (token = options.token ?? telegramToken) =>
    createTelegramChat(openOutbound(), { baseUrl: telegram.url, token, chatId: telegram.chatId });
  return { telegram, connect, chat: connect() };
}

/** Follows the chat until the test ends. `handle` may reject, as it does when the database is down. */
function follow(chat: ReturnType<typeof createTelegramChat>, handle = async (_: IncomingMessage) => {}) {
  const stopped = new AbortController();
  const messages: IncomingMessage[] = [];
  const cursors: string[] = [];
  const ended = chat
    .follow(
      {
        cursor: null,
        onConnected: async () => {},
        onCursor: async (cursor) => void cursors.push(cursor),
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
  return { messages, cursors, ended };
}

describe("the Telegram client", () => {
  it("names the bot and the chat, and reports whether the chat has topics", async () => {
    const { chat } = await start({ isForum: false });
    expect(await chat.check(never)).toEqual({ botName: "@foyer_test_bot", chatTitle: "Support", hasTopics: false });
  });

  it("posts in a topic, and outside of topics as a reply to the first message", async () => {
    const { chat, telegram } = await start();
    const topic = await chat.createTopic("Ada\nLovelace · Harbour", never);
    expect(telegram.topics[0]?.name).toBe("Ada Lovelace · Harbour");
    await chat.post({ text: "one", thread: topic }, never);
    const first = await chat.post({ text: "two", thread: null }, never);
    await chat.post({ text: "three", thread: first.thread }, never);
    expect(telegram.posts.map(({ text, topic: id, replyTo }) => [text, id, replyTo])).toEqual([
      ["one", telegram.topics[0]?.id, null],
      ["two", null, null],
      ["three", null, Number(first.messageId)],
    ]);
  });

  it("sends plain text without previews, and quotes without mentions and commands", async () => {
    const { chat, telegram } = await start();
    const quote = chat.quote("*hi* <b>@team</b> /take ada@example.com https://a.example/b");
    await chat.post({ text: quote, thread: null }, never);
    const body = telegram.calls.at(-1)?.body ?? {};
    expect(body).not.toHaveProperty("parse_mode");
    expect(body.link_preview_options).toEqual({ is_disabled: true });
    expect(body.text).toBe("*hi* <b>@\u2060team</b> /\u2060take ada@example.com https://a.example/b");
  });

  it("hides the token in what a server says about a failed call", async () => {
    const { chat, telegram } = await start();
    telegram.failNext("getMe", { status: 500, description: `failed at /bot${telegramToken}/getMe` });
    await expect(chat.check(never)).rejects.toMatchObject({
      message: expect.stringContaining("failed at /bot…/getMe"),
    });
  });

  it("confirms an update only after its message was handled, and repeats it otherwise", async () => {
    const { connect, telegram } = await start();
    telegram.say({ from: 7, text: "hello", topic: 5 });
    const failed = follow(connect(), async () => {
      throw new Error("The database is down.");
    });
    expect(((await failed.ended) as Error).message).toBe("The database is down.");
    expect(telegram.isConfirmed()).toBe(false);
    const { messages, cursors } = follow(connect());
    await telegram.until(telegram.isConfirmed);
    expect(messages).toMatchObject([
      { thread: "topic:5", sender: { id: "7", name: "User 7" }, content: { kind: "text", text: "hello" } },
    ]);
    expect(cursors).toEqual(["701"]);
  });

  it("reads text, commands, anonymous authors and messages that it cannot forward, and ignores other chats and bots", async () => {
    const { connect, telegram } = await start();
    const { messages } = follow(connect());
    telegram.say({ from: 1, text: "/return@foyer_test_bot  he wants\nblue" });
    telegram.say({ from: 1, text: "/help@other_bot" });
    telegram.say({ from: 1, text: "/SNOOZE@Foyer_Test_BOT 2h" });
    telegram.say({ from: 1, text: "/assign@ada Lovelace" });
    telegram.say({ from: 1, text: "hi", chat: { id: -5 } });
    telegram.update({ message: { message_id: 4, chat: { id: -1001234 }, from: { id: 9, is_bot: true }, text: "hi" } });
    telegram.say({ from: 1, new_chat_members: [{ id: 2 }] });
    telegram.say({ from: 1, text: "shared", forward_origin: { type: "user" } });
    telegram.say({ from: 1, video: {}, caption: "look" });
    telegram.say({ from: 1, text: "psst", sender_chat: { id: -1001234 } });
    telegram.update({
      edited_message: { message_id: 3, chat: { id: -1001234 }, from: { id: 1, first_name: "A" }, text: "changed" },
    });
    telegram.say({ from: 1, text: "fine", replyTo: 3 });
    await telegram.until(telegram.isConfirmed);
    expect(messages.map(({ content, sender, replyTo }) => [content.kind, sender?.id ?? null, replyTo])).toEqual([
      ["command", "1", null],
      ["command", "1", null],
      ["command", "1", null],
      ["unsupported", "1", null],
      ["unsupported", "1", null],
      ["text", null, null],
      ["unsupported", "1", "3"],
      ["text", "1", "3"],
    ]);
    expect(messages[0]?.content).toEqual({ kind: "command", name: "return", argument: "he wants\nblue" });
    expect(messages[1]?.content).toEqual({ kind: "command", name: "snooze", argument: "2h" });
    expect(messages[2]?.content).toEqual({ kind: "command", name: "assign", argument: "@ada Lovelace" });
    expect(messages[4]?.content).toMatchObject({ reason: expect.stringContaining("Videos are not sent") });
  });

  it("distinguishes a second poller, a requested pause, a moved chat and a deleted topic", async () => {
    const { chat, connect, telegram } = await start();
    const first = follow(connect());
    await telegram.until(() => telegram.calls.some(({ body }) => body.timeout === 50));
    follow(connect());
    expect(await first.ended).toMatchObject({ problem: "conflict" });
    const busy = { status: 429, description: "Too Many Requests: retry after 7", parameters: { retry_after: 7 } };
    const moved = {
      status: 400,
      description: "Bad Request: group chat was upgraded",
      parameters: { migrate_to_chat_id: -9 },
    };
    for (const failure of [busy, moved]) telegram.failNext("sendMessage", failure);
    const post = (thread: string | null) => chat.post({ text: "hi", thread }, never).catch((error: unknown) => error);
    expect(await post(null)).toMatchObject({ problem: "busy", retryAfterMs: 7_000 });
    expect(await post(null)).toMatchObject({ problem: "moved", chatId: "-9" });
    expect(await post("topic:99")).toMatchObject({ problem: "no_topic" });
  });

  it("explains a wrong token and a wrong chat, and never repeats the token", async () => {
    const { connect, telegram } = await start();
    const wrong = await connect("1:wrong")
      .check(never)
      .catch((error: unknown) => error as TeamChatError);
    expect(wrong).toMatchObject({ problem: "credentials" });
    const settings = { baseUrl: telegram.url, token: telegramToken, chatId: "-1" };
    await expect(createTelegramChat(openOutbound(), settings).check(never)).rejects.toMatchObject({ problem: "chat" });
    const mirror = await startHttpServer((request, response) =>
      response.writeHead(302, { location: request.url }).end(),
    );
    const redirected = createTelegramChat(openOutbound(), { ...settings, baseUrl: mirror.url });
    const error = await redirected.check(never).catch((thrown: unknown) => thrown as TeamChatError);
    expect(error).toMatchObject({ problem: "unavailable" });
    expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toContain(telegramToken);
  });
});
