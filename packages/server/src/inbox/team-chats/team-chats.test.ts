import { afterAll, beforeAll, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { onBothDatabases } from "../../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { startTelegram, type TelegramServer, telegramToken } from "../../../../../test/telegram-server.ts";
import { tinyPictures } from "../../../../../test/tiny-pictures.ts";

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

onBothDatabases("answering visitors from Telegram", (createDatabase) => {
  let server: TestServer;
  let telegram: TelegramServer;
  let ada: Browser;
  let bea: Browser;
  let agentId: string;
  let channelId: string;

  beforeAll(async () => {
    telegram = await startTelegram();
    server = await startServer({
      database: await createDatabase(),
      listen: true,
      env: { FOYER_TELEGRAM_URL: telegram.url, FOYER_WEBHOOK_SCHEDULE: "0s,1ms,1ms,1ms,1ms" },
    });
    const owner = await createOwner(server);
    await rename(owner.userId, "Ada Lovelace");
    const colleague = await createMember(server, owner.organizationId, "member");
    await rename(colleague.userId, "Bea");
    ada = await signedInBrowser(server, owner.email);
    bea = await signedInBrowser(server, colleague.email);
    const handoff = { isEnabled: true };
    agentId = (await ada.call("POST", "/agents", { name: "Harbour", handoff })).body.data.id;
  });

  afterAll(async () => {
    await server.stop();
    await telegram.stop();
  });

  async function rename(userId: string, name: string) {
    await server.deps.db.updateTable("users").set({ name }).where("id", "=", userId).execute();
  }

  const create = (changes: object = {}) =>
    ada.call("POST", "/notice-channels", {
      kind: "telegram",
      name: "Support",
      chatId: telegram.chatId,
      botToken: telegramToken,
      ...changes,
    });
  const channel = async () => (await ada.call("GET", "/notice-channels")).body[0];

  /** A visitor's conversation with a request for a person. @returns also the topic in which the request was posted */
  async function askForPerson() {
    const stream = await openChat(server.url, {
      agentId,
      messages: [{ role: "user", content: "Do you rent *bikes*?" }],
      userName: "Charles",
    });
    const { conversationId } = (await stream.until("message_start")) as unknown as { conversationId: string };
    await stream.ended;
    const known = telegram.topics.length;
    const asked = await ada.call("POST", `/conversations/${conversationId}/handoff`, { reason: "Wants a blue one" });
    expect(asked.status).toBe(200);
    await telegram.until(() => telegram.topics.length > known);
    const topic = telegram.topics.at(-1)?.id ?? 0;
    await telegram.until(() => telegram.textsIn(topic).length > 0);
    return { conversationId, topic };
  }

  const conversation = async (id: string) => (await ada.call("GET", `/conversations/${id}`)).body.data;
  const messagesOf = async (id: string) => {
    const { messages } = await conversation(id);
    return messages.map((one: { author: { kind: string; person: { name: string } | null }; content: string }) => [
      one.author.person?.name ?? one.author.kind,
      one.content,
    ]);
  };
  const visitorWrites = async (conversationId: string, content: string) => {
    const token = (await ada.call("GET", `/conversations/${conversationId}`)).body.data.token;
    const stream = await openChat(
      server.url,
      { agentId, conversationId, token, messages: [{ role: "user", content }] },
      {
        cookie: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
    );
    expect(stream.response.status).toBe(200);
    await stream.ended;
  };
  const said = (text: string) => () => telegram.posts.some((post) => post.text.includes(text));

  it("explains a wrong token and a wrong chat, and saves nothing", async () => {
    const wrongToken = await create({ botToken: `1234:${"A".repeat(35)}` });
    expect(wrongToken.status).toBe(400);
    expect(wrongToken.body.error.details).toMatchObject([
      { path: "botToken", message: expect.stringContaining("does not accept the bot token") },
    ]);
    expect((await create({ botToken: "nonsense" })).body.error.details[0].path).toBe("botToken");
    expect((await create({ chatId: "-5" })).body.error.details[0].path).toBe("chatId");
    expect(await channel()).toBeUndefined();
  });

  it("connects, never reveals the token, and refuses the same bot for another channel", async () => {
    const created = await create();
    expect(created.status, created.text).toBe(201);
    channelId = created.body.id;
    await expect.poll(async () => (await channel()).teamChat.state).toBe("connected");
    const listed = await ada.call("GET", "/notice-channels");
    expect(listed.body[0].teamChat).toMatchObject({ botName: "@foyer_test_bot", chatTitle: "Support", problem: null });
    expect(created.text + listed.text).not.toContain(telegramToken);
    const stored = await server.deps.db.selectFrom("teamChats").selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(stored)).not.toContain(telegramToken);
    expect((await create()).status).toBe(409);
  });

  it("links a member by a code that works once, and explains to everyone else why nothing was sent", async () => {
    const { conversationId, topic } = await askForPerson();
    telegram.say({ from: 7, topic, text: "hello" });
    await telegram.until(said("not linked to an account"));
    const { code, command } = (await ada.call("POST", `/notice-channels/${channelId}/link-code`)).body;
    expect(command).toBe(`/link ${code}`);
    telegram.say({ from: 7, text: command.toLowerCase() });
    await telegram.until(said("You are now linked to Ada Lovelace."));
    telegram.say({ from: 8, text: command });
    await telegram.until(said("not valid or has expired"));
    expect((await channel()).teamChat.members).toMatchObject([{ name: "Ada Lovelace", senderName: "User 7" }]);
    // Nothing else would delete rows that belong to no conversation.
    const answered = server.deps.db.selectFrom("deliveries").select("id").where("conversationId", "is", null);
    await expect.poll(() => answered.execute()).toEqual([]);
    expect((await messagesOf(conversationId)).map(([author]: string[]) => author)).toEqual(["visitor", "agent"]);
  });

  it("posts the request with the last messages in a topic, and a reply there takes over and reaches the visitor", async () => {
    const { conversationId, topic } = await askForPerson();
    expect(telegram.topics.at(-1)?.name).toBe("Charles · Harbour");
    const [request = ""] = telegram.textsIn(topic);
    expect(request).toContain("Charles wants to talk to a person (Harbour).");
    expect(request).toContain("Wants a blue one");
    expect(request).toContain("Charles: Do you rent *bikes*?");
    expect(request).toContain(`/dashboard/agents/${agentId}/conversations/${conversationId}`);
    const id = telegram.say({ from: 7, topic, text: "Hello, Ada here." });
    await telegram.until(() => telegram.isConfirmed() && telegram.textsIn(topic).length === 2);
    expect((await messagesOf(conversationId)).at(-1)).toEqual(["Ada Lovelace", "Hello, Ada here."]);
    expect(await conversation(conversationId)).toMatchObject({ handler: "human", assignee: { name: "Ada Lovelace" } });

    // The same message arrives again, as it does after a crash before it was confirmed.
    const repeated = { message_id: id, chat: { id: Number(telegram.chatId) }, from: { id: 7, first_name: "User 7" } };
    telegram.update({
      message: { ...repeated, message_thread_id: topic, is_topic_message: true, text: "Hello, Ada here." },
    });
    await telegram.until(telegram.isConfirmed);
    await visitorWrites(conversationId, "Hello @Ada, /close");
    await telegram.until(() => telegram.textsIn(topic).length === 3);
    expect(telegram.textsIn(topic).slice(1)).toEqual([
      "Ada Lovelace took over the conversation. The agent has stopped replying.",
      "Charles:\nHello @\u2060Ada, /\u2060close",
    ]);
    expect(await messagesOf(conversationId)).toHaveLength(4);
  });

  it("forwards what a member writes in the inbox, names who has a conversation, and runs commands", async () => {
    const { conversationId, topic } = await askForPerson();
    const sent = await bea.call("POST", `/conversations/${conversationId}/messages`, { content: "Bea here." });
    expect(sent.status, sent.text).toBe(201);
    await telegram.until(() => telegram.textsIn(topic).includes("Bea (in the inbox):\nBea here."));
    telegram.say({ from: 7, topic, text: "me too" });
    await telegram.until(said("Not done: Bea has this conversation."));
    await bea.call("POST", `/conversations/${conversationId}/return`, {});
    telegram.say({ from: 7, topic, text: "/take" });
    await telegram.until(() => telegram.textsIn(topic).some((text) => text.startsWith("Ada Lovelace took")));
    telegram.say({ from: 7, topic, video: {} });
    await telegram.until(said("Videos are not sent"));
    telegram.say({ from: 7, topic, text: "/return they want blue" });
    await telegram.until(() =>
      telegram.textsIn(topic).includes("Ada Lovelace returned the conversation to the agent."),
    );
    expect((await conversation(conversationId)).handler).toBe("agent");
    expect((await messagesOf(conversationId)).flat()).not.toContain("me too");
  });

  it("posts pictures of members and sends those of the team chat to the visitor", async () => {
    const { conversationId, topic } = await askForPerson();
    const picture = tinyPictures["image/png"];
    const uploaded = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?conversationId=${conversationId}`,
      headers: {
        cookie: [...bea.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "sec-fetch-site": "same-origin",
        "content-type": "application/octet-stream",
        "x-filename": "plan.png",
      },
      payload: picture,
    });
    const body = { content: "The plan", attachments: [uploaded.json().data.id] };
    expect((await bea.call("POST", `/conversations/${conversationId}/messages`, body)).status).toBe(201);
    await telegram.until(() => telegram.sentFiles.length === 1);
    expect(telegram.sentFiles[0]).toMatchObject({ method: "sendPhoto", topic, name: "plan.png" });
    expect(telegram.sentFiles[0]?.content.equals(picture)).toBe(true);
    await bea.call("POST", `/conversations/${conversationId}/return`, {});
    telegram.files.set("large", picture);
    telegram.say({ from: 7, topic, photo: [{ file_id: "small" }, { file_id: "large" }], caption: "This one" });
    await telegram.until(() => telegram.textsIn(topic).some((text) => text.startsWith("Ada Lovelace took")));
    const { messages } = await conversation(conversationId);
    expect(messages.at(-1)).toMatchObject({
      content: "This one",
      attachments: [{ name: "photo.jpg.png", type: "image/png", size: picture.length }],
    });
  });

  it("assigns, snoozes and resolves a conversation by commands", async () => {
    const { conversationId, topic } = await askForPerson();
    telegram.say({ from: 7, topic, text: "/snooze 2h" });
    await telegram.until(said("Not done: The visitor is waiting for a person."));
    telegram.say({ from: 7, topic, text: "/assign @nobody" });
    await telegram.until(said("Not done: no member or team of the organization has this name."));
    telegram.say({ from: 7, topic, text: "/assign @bea" });
    await expect.poll(async () => (await conversation(conversationId)).assignee?.name).toBe("Bea");
    telegram.say({ from: 7, topic, text: "/snooze soon" });
    await telegram.until(said("Not done: write for how long, such as /snooze 30m"));
    telegram.say({ from: 7, topic, text: "/snooze 2h" });
    await expect.poll(async () => (await conversation(conversationId)).status).toBe("snoozed");
    telegram.say({ from: 7, topic, text: "/resolve" });
    await expect
      .poll(async () => conversation(conversationId))
      .toMatchObject({ status: "resolved", handler: "agent", assignee: null });
  });

  it("keeps the order of a conversation while posts are refused, and splits a long text", async () => {
    const { conversationId, topic } = await askForPerson();
    await ada.call("POST", `/conversations/${conversationId}/takeover`);
    await telegram.until(() => telegram.textsIn(topic).length === 2);
    telegram.failNext("sendMessage", { status: 429, description: "Too Many Requests", parameters: { retry_after: 0 } });
    telegram.failNext("sendMessage", { status: 502, description: "Bad Gateway" });
    const long = "word ".repeat(1_500).trim();
    for (const text of ["one", long, "three"]) {
      await ada.call("POST", `/conversations/${conversationId}/messages`, { content: text });
    }
    await telegram.until(() => telegram.textsIn(topic).some((text) => text.endsWith("three")));
    const [, , one, first = "", second = "", third] = telegram.textsIn(topic);
    expect(one).toContain("one");
    expect(first.length).toBeLessThanOrEqual(4_096);
    expect(`${first} ${second}`.replaceAll(/\(.*?\)\n\n/g, "")).toContain(long);
    expect(third).toBe("Ada Lovelace (in the inbox):\nthree");
    const waiting = server.deps.db.selectFrom("teamChatPosts").select("id");
    await expect.poll(async () => (await waiting.execute()).length).toBe(0);
  });

  it("opens a new topic when one was deleted", async () => {
    const { conversationId, topic } = await askForPerson();
    await ada.call("POST", `/conversations/${conversationId}/takeover`);
    await telegram.until(() => telegram.textsIn(topic).length === 2);
    telegram.topics.splice(
      telegram.topics.findIndex(({ id }) => id === topic),
      1,
    );
    await ada.call("POST", `/conversations/${conversationId}/messages`, { content: "still here" });
    await telegram.until(() => telegram.posts.at(-1)?.text.endsWith("still here") === true);
    expect(telegram.posts.at(-1)?.topic).toBe(telegram.topics.at(-1)?.id);
    expect(telegram.posts.at(-1)?.topic).not.toBe(topic);
  });

  it("calls the account of a member without a name an account", async () => {
    await server.deps.db.updateTable("users").set({ name: "" }).where("name", "=", "Bea").execute();
    const { command } = (await bea.call("POST", `/notice-channels/${channelId}/link-code`)).body;
    telegram.say({ from: 99, text: command });
    await telegram.until(said("You are now linked to your account in Foyer. Your replies"));
    expect((await bea.call("DELETE", `/notice-channels/${channelId}/link`)).status).toBe(200);
  });

  it("stops receiving and posting while the channel is disabled", async () => {
    expect((await ada.call("PATCH", `/notice-channels/${channelId}`, { isEnabled: false })).status).toBe(200);
    const row = await server.deps.db.selectFrom("teamChats").select("dueAt").executeTakeFirstOrThrow();
    expect(row.dueAt).toBeNull();
    await ada.call("PATCH", `/notice-channels/${channelId}`, { isEnabled: true });
    await expect.poll(async () => (await channel()).teamChat.state, { timeout: 20_000 }).toBe("connected");
    expect((await ada.call("DELETE", `/notice-channels/${channelId}/link`)).status).toBe(200);
    expect((await channel()).teamChat.members).toEqual([]);
    expect((await ada.call("DELETE", `/notice-channels/${channelId}`)).status).toBe(200);
    expect(await server.deps.db.selectFrom("teamChats").selectAll().execute()).toEqual([]);
  });
});
