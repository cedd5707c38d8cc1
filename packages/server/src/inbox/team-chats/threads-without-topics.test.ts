import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { slackTokens, startSlack } from "../../../../../test/slack-server.ts";
import { startTelegram, telegramToken } from "../../../../../test/telegram-server.ts";
import { createConversationLog } from "../../conversations/log/log.ts";
import { createOutbox } from "../../outbox/outbox.ts";
import { createHandoffTimers } from "../notices/handoff-timers.ts";
import { createNoticeRecorder } from "../notices/record-notices.ts";
import { createTeamChatPosts } from "./record-changes.ts";

/** One chat in which members answer visitors below the first post about a conversation. */
type Platform = {
  kind: "telegram" | "slack";
  settings: object;
  sign: string;
  /** Writes in the chat or below a post, as a person who is linked or as a stranger. @returns the id of what was written */
  write(text: string, below?: string, isStranger?: boolean): string;
  /** Posts a message like a server that is killed before it receives the response. @returns the post's id */
  postAsBot(text: string): string;
  posts(): Array<{ id: string; below: string | null; text: string }>;
  until(condition: () => boolean): Promise<void>;
};

let server: TestServer;
let ada: Awaited<ReturnType<typeof signedInBrowser>>;
let agentId: string;
let teamId: string;
let slack: Awaited<ReturnType<typeof startSlack>>;
let telegram: Awaited<ReturnType<typeof startTelegram>>;

beforeAll(async () => {
  slack = await startSlack();
  telegram = await startTelegram({ isForum: false });
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
  const { email, userId, organizationId } = await createOwner(server);
  await rename(userId, "Ada Lovelace");
  for (const name of ["Bea Miller", "Bea Stone"]) {
    await rename((await createMember(server, organizationId, "member")).userId, name);
  }
  ada = await signedInBrowser(server, email);
  const team = await ada.call("POST", "/teams", { name: "Night Shift", targets: { firstAnswer: 20 } });
  teamId = team.body.data.id;
});
afterAll(async () => {
  await server.stop();
  await Promise.all([slack.stop(), telegram.stop()]);
});

async function rename(userId: string, name: string) {
  await server.deps.db.updateTable("users").set({ name }).where("id", "=", userId).execute();
}

const createSlackPlatform = (): Platform => ({
  kind: "slack",
  settings: { chatId: slack.channelId, ...slackTokens },
  sign: "!",
  write: (text, below, isStranger) =>
    slack.say({ user: isStranger ? "U0STRANGER" : "U0ADA", text, ...(below === undefined ? {} : { thread: below }) }),
  postAsBot: slack.postAsBot,
  posts: () => slack.posts.map(({ ts, thread, text }) => ({ id: ts, below: thread, text })),
  until: slack.until,
});
const createTelegramPlatform = (): Platform => ({
  kind: "telegram",
  settings: { chatId: telegram.chatId, botToken: telegramToken },
  sign: "/",
  write: (text, below, isStranger) =>
    `${telegram.say({ from: isStranger ? 8 : 7, text, ...(below === undefined ? {} : { replyTo: Number(below) }) })}`,
  postAsBot: (text) => `${telegram.postAsBot(text)}`,
  posts: () =>
    telegram.posts.map(({ id, replyTo, text }) => ({ id: `${id}`, below: replyTo?.toString() ?? null, text })),
  until: telegram.until,
});

const MINUTE_MS = 60_000;

/** Lets another process handle the timers, whose clock is this many minutes ahead. */
function runTimers(minutes: number) {
  const { deps } = server;
  const posts = createTeamChatPosts(deps, createOutbox(deps));
  return createHandoffTimers(deps, {
    conversationLog: createConversationLog(deps, [posts]),
    recorder: createNoticeRecorder(deps, createOutbox(deps)),
    isPresent: async () => true,
    now: () => Date.now() + minutes * MINUTE_MS,
  }).runOnce();
}

/** A visitor's conversation; `say` sends a message in it. */
async function startConversation() {
  let headers = {};
  let id: string | undefined;
  const say = async (content: string) => {
    const messages = [{ role: "user", content }];
    const payload = { agentId, userName: "Charles", messages, ...(id ? { conversationId: id } : {}) };
    const { body } = await server.app.inject({ method: "POST", url: "/chat", headers, payload });
    id ??= /"conversationId":"(\w+)"/.exec(body)?.[1] ?? "";
    headers = { authorization: `Bearer ${/"conversationToken":"([^"]+)"/.exec(body)?.[1]}` };
    return body;
  };
  await say("Do you rent bikes?");
  const read = async () => (await ada.call("GET", `/conversations/${id}`)).body.data;
  const ask = () => server.app.inject({ method: "POST", url: `/conversations/${id}/handoff`, headers, payload: {} });
  return { id: id ?? "", say, read, ask };
}

describe.each([
  ["Slack", createSlackPlatform],
  ["a Telegram group without topics", createTelegramPlatform],
] as const)("a member who answers in %s", (_, platformOf) => {
  let platform: Platform;
  beforeAll(async () => {
    platform = platformOf();
    // The requests of one agent are held back once there are too many of them.
    agentId = (await ada.call("POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } })).body.data.id;
    const { kind, settings, sign, write, posts, until } = platform;
    const created = await ada.call("POST", "/notice-channels", { kind, name: "Support", ...settings });
    expect(created.status, created.text).toBe(201);
    const { command } = (await ada.call("POST", `/notice-channels/${created.body.id}/link-code`)).body;
    expect(command.startsWith(`${sign}link `)).toBe(true);
    write(command);
    await until(() => posts().some(({ text }) => text.startsWith("You are now linked to Ada Lovelace")));
  });

  it("takes over, writes to the visitor, receives their answers below the same post, and closes", async () => {
    const { sign, write, posts, until } = platform;
    const talk = await startConversation();
    expect((await talk.ask()).statusCode).toBe(200);
    const isRequest = ({ text }: { text: string }) => text.includes(talk.id);
    await until(() => posts().some(isRequest));
    const request = posts().find(isRequest);
    expect(request).toMatchObject({ below: null, text: expect.stringContaining("Charles wants to talk to a person") });
    const below = () =>
      posts()
        .filter((post) => post.below === request?.id)
        .map(({ text }) => text);

    write("Yes, blue ones.", request?.id);
    await until(() => below().some((text) => text.startsWith("Ada Lovelace took over the conversation")));
    const taken = await talk.read();
    expect(taken).toMatchObject({ handler: "human", assignee: { name: "Ada Lovelace" } });
    expect(taken.messages.at(-1)).toMatchObject({ content: "Yes, blue ones.", author: { kind: "member" } });

    expect(await talk.say("How much?")).toContain('"stopReason":"handed_over"');
    await until(() => below().some((text) => text.endsWith("How much?")));

    write(`${sign}close`, request?.id);
    await until(() => below().some((text) => text.startsWith("Ada Lovelace closed the conversation")));
    expect(await talk.read()).toMatchObject({ handler: "agent", assignee: null, handoff: null });
    expect(await talk.say("Thank you")).toContain('"stopReason":"end_turn"');
    const stored = (await talk.read()).messages.map(({ content }: { content: string }) => content);
    expect(stored).not.toContain(`${sign}close`);
  });

  it("gets one message in the thread of a conversation before a target of the team is missed, unless it is met", async () => {
    const { write, posts, until } = platform;
    const ask = async () => {
      const talk = await startConversation();
      expect((await ada.call("POST", `/conversations/${talk.id}/assign`, { teamId })).status).toBe(200);
      await until(() => posts().some(({ text }) => text.includes(talk.id)));
      const request = posts().find(({ text }) => text.includes(talk.id))?.id;
      return { ...talk, request, below: () => posts().filter((post) => post.below === request) };
    };
    const [late, answered] = [await ask(), await ask()];
    write("Hello, Ada here.", answered.request);
    await until(() => answered.below().some(({ text }) => text.startsWith("Ada Lovelace took over")));
    await runTimers(14);
    await Promise.all([runTimers(15), runTimers(15)]);
    await runTimers(19);
    const warnings = ({ below }: typeof late) => below().filter(({ text }) => text.includes("should be"));
    await until(() => warnings(late).length > 0);
    // The posts of a thread keep their order, so everything before these two has been posted.
    for (const { id } of [late, answered]) await ada.call("POST", `/conversations/${id}/messages`, { content: "Done" });
    await until(() => [late, answered].every(({ below }) => below().some(({ text }) => text.endsWith("Done"))));
    expect(warnings(late)).toEqual([
      expect.objectContaining({
        text: expect.stringMatching(
          /^Charles should be answered by [-\d]+ [\d:]+ UTC \(Harbour\)\.\nhttp.+\/conv_\w+$/,
        ),
      }),
    ]);
    expect(warnings(answered)).toEqual([]);
  });

  it("learns that a reply to an interrupted copy of a post did not reach the visitor, and gets no answer to other messages outside of conversations", async () => {
    const { write, posts, sign, until } = platform;
    const talk = await startConversation();
    await talk.ask();
    await until(() => posts().some(({ text }) => text.includes(talk.id)));
    // The server was killed after the platform had accepted a post, and before it knew the post's id.
    const copy = platform.postAsBot("Charles wants to talk to a person");
    write("Hello Charles", copy);
    await until(() => posts().some(({ text }) => text.startsWith("Not sent to the visitor: Foyer cannot tell")));
    const answered = posts().length;
    const question = write("Who takes this one?");
    write("I do", question);
    write(`${sign}help`);
    await until(() => posts().some(({ text }) => text.startsWith("Reply in a conversation")));
    expect(posts()).toHaveLength(answered + 1);
    expect(await talk.read()).toMatchObject({ handler: "waiting", messages: { length: 2 } });
  });

  describe("who writes commands in the thread of a conversation", () => {
    /** A conversation whose visitor waits. `answerTo` writes below its post and returns the next post there. */
    async function startThread() {
      const { write, posts, until } = platform;
      const talk = await startConversation();
      await talk.ask();
      await until(() => posts().some(({ text }) => text.includes(talk.id)));
      const request = posts().find(({ text }) => text.includes(talk.id))?.id ?? "";
      const below = () => posts().filter((post) => post.below !== null);
      const answerTo = async (command: string, isStranger = false) => {
        const known = below().length;
        write(command, request, isStranger);
        await until(() => below().length > known);
        return below()[known]?.text;
      };
      return { ...talk, answerTo };
    }

    it("gets an answer in the thread that says what is right when a command cannot be run, and the visitor receives nothing", async () => {
      const { sign } = platform;
      const { answerTo, read } = await startThread();
      const { messages } = await read();
      const otherSign = sign === "/" ? "!" : "/";
      const duration = `Not done: write for how long, such as ${sign}snooze 30m`;
      const cases = [
        ["snooze", duration],
        ["snooze tomorrow", duration],
        ["snooze 2 months", duration],
        ["snooze 2h", "Not done: The visitor is waiting for a person."],
        ["snooze 3000d", "Not done: a conversation can be snoozed for a year at most"],
        ["assign", "Not done: write the name of a member or a team"],
        ["assign @nobody", "Not done: no member or team of the organization has this name."],
        ["assign @bea", "Not done: several have this name: Bea Miller, Bea Stone."],
        ["resolved", `${sign}resolve marks it as done.`],
      ] as const;
      for (const [command, answer] of cases) expect(await answerTo(sign + command)).toContain(answer);
      for (const slip of [`${sign} resolve`, `${otherSign}resolve`, ` ${otherSign}RESOLVE now`]) {
        expect(await answerTo(slip)).toContain(`this looks like the command ${sign}resolve.`);
      }
      expect(await answerTo(`${sign}snooze2h`)).toContain(`${sign}snooze`);
      expect(await answerTo(`${sign}resolve`, true)).toContain("Not done: you are not linked to an account in Foyer.");
      expect(await read()).toMatchObject({ handler: "waiting", status: "open", messages });
    });

    it("assigns by name to members and teams, snoozes and resolves, and gets an answer when nothing changes", async () => {
      const { sign } = platform;
      const { answerTo, read } = await startThread();
      expect(await answerTo(`${sign}ASSIGN  @bea   miller`)).toContain(
        "Ada Lovelace assigned the conversation to Bea Miller.",
      );
      expect((await read()).assignee).toMatchObject({ name: "Bea Miller" });
      expect(await answerTo(`${sign}assign Miller`)).toBe("Bea Miller has this conversation already.");
      expect(await answerTo(`${sign}assign night shift`)).toMatch(
        /^Assigned to Night Shift\.|wants to talk to a person/,
      );
      expect(await read()).toMatchObject({ handler: "waiting", team: { id: teamId } });
      expect(await answerTo(`${sign}take`)).toMatch(/Assigned to Night Shift\.|wants to talk/);
      await platform.until(() => platform.posts().at(-1)?.text.startsWith("Ada Lovelace took over") === true);
      expect(await answerTo(`${sign}take`)).toBe("You have this conversation already.");
      expect(await answerTo(`${sign}snooze 2 Hours`)).toMatch(
        /^Snoozed until [-\d]+ [\d:]+ UTC, or until the visitor writes\.$/,
      );
      expect((await read()).status).toBe("snoozed");
      expect(await answerTo(`${sign}resolve`)).toMatch(/closed the conversation|^Resolved\./);
      expect(await read()).toMatchObject({ status: "resolved", handler: "agent" });
      await platform.until(() => platform.posts().some(({ text }) => text.startsWith("Resolved.")));
      expect(await answerTo(`${sign}resolve`)).toBe("It is resolved already.");
      expect(await answerTo(`${sign}close`)).toBe("The agent has this conversation already.");
      expect(await answerTo(`${sign}return`)).toBe("The agent has this conversation already.");
    });

    it("gets the answer that the conversation is in the trash, and later that it was deleted", async () => {
      const { sign } = platform;
      const { answerTo, id } = await startThread();
      expect((await ada.call("POST", `/conversations/${id}/trash`)).status).toBe(200);
      for (const command of ["resolve", "snooze 2h", "assign Miller", "assign Night Shift", "take", "close"]) {
        expect(await answerTo(sign + command)).toContain("Not done: this conversation or its agent is in the trash.");
      }
      expect(await answerTo("Hello")).toContain("is in the trash");
      expect((await ada.call("POST", `/conversations/${id}/restore`)).status).toBe(200);
      expect((await ada.call("DELETE", `/conversations/${id}`)).status).toBe(200);
      expect(await answerTo(`${sign}resolve`)).toContain("its conversation was deleted");
      expect(await answerTo("Hello")).toContain("Not sent to the visitor");
    });
  });
});
