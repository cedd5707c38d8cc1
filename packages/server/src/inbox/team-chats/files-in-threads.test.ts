import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPdf } from "../../../../../test/sample-files.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { slackTokens, startSlack } from "../../../../../test/slack-server.ts";
import { startTelegram, telegramToken } from "../../../../../test/telegram-server.ts";
import { tinyPictures } from "../../../../../test/tiny-pictures.ts";

const png = tinyPictures["image/png"];
const pdf = createPdf([["City One"]]);

type PersonsFile = { name: string; content: Buffer };
/** One chat of a team, in which each conversation has a topic or a thread. */
type Platform = {
  kind: "telegram" | "slack";
  settings: object;
  /** Writes in the chat as a person, in a thread if there is one. */
  write(text: string, thread?: string): void;
  share(thread: string, text: string, file: PersonsFile): void;
  /** the texts that the app has posted */
  posts(): Array<{ thread: string | null; text: string }>;
  /** the files that the app has posted */
  files(): Array<{ name: string; thread: string | null; content: Buffer }>;
  until(condition: () => boolean): Promise<void>;
};

let server: TestServer;
let ada: Awaited<ReturnType<typeof signedInBrowser>>;
let slack: Awaited<ReturnType<typeof startSlack>>;
let telegram: Awaited<ReturnType<typeof startTelegram>>;

beforeAll(async () => {
  slack = await startSlack();
  telegram = await startTelegram();
  server = await startServer({
    env: {
      FOYER_TELEGRAM_URL: telegram.url,
      FOYER_SLACK_URL: slack.url,
      // Slack tells the server to which address it connects.
      FOYER_OUTBOUND_ALLOW: "127.0.0.1",
      FOYER_WEBHOOK_SCHEDULE: "0s,1ms,1ms,1ms,1ms",
    },
  });
  await server.app.ready();
  const { email, userId } = await createOwner(server);
  await server.deps.db.updateTable("users").set({ name: "Ada Lovelace" }).where("id", "=", userId).execute();
  ada = await signedInBrowser(server, email);
});
afterAll(async () => {
  await server.stop();
  await Promise.all([slack.stop(), telegram.stop()]);
});

const createSlackPlatform = (): Platform => ({
  kind: "slack",
  settings: { chatId: slack.channelId, ...slackTokens },
  write: (text, thread) => void slack.say({ user: "UADA", text, ...(thread === undefined ? {} : { thread }) }),
  share: (thread, text, { name, content }) =>
    void slack.say({
      user: "UADA",
      thread,
      text,
      subtype: "file_share",
      files: [slack.createFile(name, content)],
    }),
  posts: () => slack.posts.map(({ ts, thread, text }) => ({ thread: thread ?? ts, text })),
  files: () => slack.sentFiles,
  until: slack.until,
});

const createTelegramPlatform = (): Platform => ({
  kind: "telegram",
  settings: { chatId: telegram.chatId, botToken: telegramToken },
  write: (text, thread) => void telegram.say({ from: 7, text, ...(thread ? { topic: Number(thread) } : {}) }),
  share(thread, caption, { name, content }) {
    const id = `file${telegram.files.size + 1}`;
    telegram.files.set(id, content);
    const isPicture = name.endsWith(".png");
    const file = isPicture ? { photo: [{ file_id: id }] } : { document: { file_id: id, file_name: name } };
    telegram.say({ from: 7, topic: Number(thread), caption, ...file });
  },
  posts: () => telegram.posts.map(({ topic, text }) => ({ thread: topic?.toString() ?? null, text })),
  files: () =>
    telegram.sentFiles.map(({ name, topic, content }) => ({ name, thread: topic?.toString() ?? null, content })),
  until: telegram.until,
});

/** A visitor who can attach pictures and files. */
async function createVisitor(agentId: string, sessionId: string) {
  let id = "";
  let headers = {};
  const upload = async ({ name, content }: PersonsFile): Promise<string> => {
    const place = id ? `conversationId=${id}` : `sessionId=${sessionId}`;
    const response = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?agentId=${agentId}&${place}`,
      headers: { ...headers, "content-type": "application/octet-stream", "x-filename": name },
      payload: content,
    });
    return response.json().data.id;
  };
  const say = async (content: string, file: PersonsFile) => {
    const payload = {
      agentId,
      sessionId,
      userName: "Charles",
      messages: [{ role: "user", content }],
      attachments: [await upload(file)],
      ...(id ? { conversationId: id } : {}),
    };
    const { body } = await server.app.inject({ method: "POST", url: "/chat", headers, payload });
    id ||= /"conversationId":"(\w+)"/.exec(body)?.[1] ?? "";
    headers = { authorization: `Bearer ${/"conversationToken":"([^"]+)"/.exec(body)?.[1]}` };
  };
  return {
    say,
    ask: () => server.app.inject({ method: "POST", url: `/conversations/${id}/handoff`, headers, payload: {} }),
    /** The newest message with attachments, as the visitor sees it. */
    async readNewest() {
      const response = await server.app.inject({ method: "GET", url: `/conversations/${id}`, headers });
      const { messages } = response.json().data;
      return messages.findLast(({ attachments }: { attachments: unknown[] }) => attachments.length > 0);
    },
    download: async (url: string) => (await server.app.inject({ method: "GET", url, headers })).rawPayload,
  };
}

describe.each([
  ["Slack", createSlackPlatform],
  ["Telegram", createTelegramPlatform],
] as const)("pictures and files in %s", (name, platformOf) => {
  let platform: Platform;
  let agentId: string;
  beforeAll(async () => {
    platform = platformOf();
    const { kind, settings, write, posts, until } = platform;
    const created = await ada.call("POST", "/notice-channels", { kind, name: "Support", ...settings });
    expect(created.status, created.text).toBe(201);
    const { command } = (await ada.call("POST", `/notice-channels/${created.body.id}/link-code`)).body;
    write(command);
    await until(() => posts().some(({ text }) => text.startsWith("You are now linked to Ada Lovelace")));
    const agent = { name: `Harbour ${name}`, handoff: { isEnabled: true }, attachments: { images: true, files: true } };
    agentId = (await ada.call("POST", "/agents", agent)).body.data.id;
  });
  // The next platform must not receive what belongs to this one.
  afterAll(async () => {
    for (const { id } of (await ada.call("GET", "/notice-channels")).body) {
      await ada.call("DELETE", `/notice-channels/${id}`);
    }
  });

  it("those of the visitor appear in the thread, before and after the member has answered", async () => {
    const { write, posts, files, until } = platform;
    const visitor = await createVisitor(agentId, `${name}-1`);
    await visitor.say("What is it?", { name: "bike.png", content: png });
    expect((await visitor.ask()).statusCode).toBe(200);
    const isRequest = ({ text }: { text: string }) =>
      text.includes(`Charles wants to talk to a person (Harbour ${name})`);
    await until(() => files().length === 1);
    const thread = posts().findLast(isRequest)?.thread ?? "";
    expect(thread).not.toBe("");
    expect(files()[0]).toMatchObject({ name: "bike.png", thread });
    expect(files()[0]?.content.equals(png)).toBe(true);
    write("A City One.", thread);
    await until(() => posts().some(({ text }) => text.startsWith("Ada Lovelace took over the conversation")));
    await visitor.say("And this?", { name: "manual.pdf", content: pdf });
    await until(() => files().length === 2);
    expect(files()[1]).toMatchObject({ name: "manual.pdf", thread });
    expect(files()[1]?.content.equals(pdf)).toBe(true);
  });

  it("those of the member reach the visitor, and refused ones are explained in the thread", async () => {
    const { share, posts, files, until } = platform;
    const visitor = await createVisitor(agentId, `${name}-2`);
    const known = files().length;
    await visitor.say("Where is it?", { name: "map.png", content: png });
    await visitor.ask();
    await until(() => files().length > known);
    const thread = files().at(-1)?.thread ?? "";
    share(thread, "It is here", { name: "plan.png", content: png });
    await until(() => posts().some((post) => post.thread === thread && post.text.startsWith("Ada Lovelace took")));
    const message = await visitor.readNewest();
    expect(message).toMatchObject({
      content: "It is here",
      author: { kind: "member" },
      attachments: [{ type: "image/png", size: png.length, width: 1, height: 1 }],
    });
    expect((await visitor.download(message.attachments[0].url)).equals(png)).toBe(true);
    share(thread, "", { name: "prices.pdf", content: pdf });
    await expect.poll(async () => (await visitor.readNewest()).attachments).toMatchObject([{ name: "prices.pdf" }]);
    share(thread, "Look", { name: "logo.svg", content: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>") });
    await until(() => posts().some((post) => post.thread === thread && post.text.includes("cannot be attached")));
    expect((await visitor.readNewest()).attachments).toMatchObject([{ name: "prices.pdf" }]);
  });
});
