import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { insertConversation } from "../../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startPushService } from "../../../../../test/push-service.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { type SmtpTestServer, startSmtpServer } from "../../../../../test/smtp-server.ts";
import { tinyPictures } from "../../../../../test/tiny-pictures.ts";
import { startReceiver } from "../../../../../test/webhook-receiver.ts";
import { createConversationToken, isTokenFor, readLinkVersion } from "../../auth/conversation-token.ts";
import { createConversationLog } from "../../conversations/log/log.ts";
import { inTransaction } from "../../db/transaction.ts";
import { createOutbox } from "../../outbox/outbox.ts";
import { createHandoffTimers } from "./handoff-timers.ts";
import { createNoticeRecorder } from "./record-notices.ts";
import { recordSeen } from "./seen-answers.ts";

const MINUTE_MS = 60_000;

onBothDatabases("notices", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let smtp: SmtpTestServer;
  let push: Awaited<ReturnType<typeof startPushService>>;
  let chat: Awaited<ReturnType<typeof startReceiver>>;
  let team: Awaited<ReturnType<typeof createTeam>>;
  beforeAll(async () => {
    database = await createDatabase();
    smtp = await startSmtpServer();
    push = await startPushService();
    chat = await startReceiver();
    const env = { SMTP_URL: smtp.url, FOYER_OUTBOUND_ALLOW: "127.0.0.1", FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" };
    server = await startServer({ database, env });
  });
  beforeEach(async () => {
    team = await createTeam();
  });
  afterAll(async () => {
    await server.stop();
    await smtp.close();
    await push.stop();
    await chat.stop();
    await database.drop();
  });

  /** whether members count as present for the worker of another process */
  let isTeamPresent = true;

  /** An organization with an owner and a member, both signed in. */
  async function createTeam() {
    const account = await createOwner(server);
    const colleague = await createMember(server, account.organizationId, "member");
    return {
      ...account,
      colleague,
      owner: await signedInBrowser(server, account.email),
      member: await signedInBrowser(server, colleague.email),
    };
  }

  type Asked = { handoff?: object; settings?: object; conversation?: object; body?: object };

  /** A visitor who is waiting for a person. */
  async function request({
    handoff = {},
    settings = {},
    conversation = {},
    body = { reason: "My invoice" },
  }: Asked = {}) {
    const agentId = await createAgent(team.owner, {
      ...settings,
      handoff: { isEnabled: true, promiseMinutes: 10, ...handoff },
    });
    const from = { organizationId: team.organizationId, agentId };
    const sayings = [{ content: "Hello?" }, { content: "See https://evil.example/x" }];
    const id = await insertConversation(server.deps.db, from, { userName: "Ada", ...conversation }, sayings);
    const asked = await team.owner.call("POST", `/conversations/${id}/handoff`, body);
    expect(asked).toMatchObject({ status: 200, body: { data: { handler: "waiting" } } });
    return { id, agentId };
  }

  /** The notices sent about a conversation, once all its deliveries have been attempted. */
  async function listSentAbout(id: string) {
    const { db } = server.deps;
    const open = db
      .selectFrom("deliveries")
      .select("id")
      .where("conversationId", "=", id)
      .where("state", "=", "pending");
    await expect.poll(() => open.execute()).toEqual([]);
    const mails = smtp.mails().filter(({ text }) => text.includes(id));
    return {
      mails,
      to: mails.map(({ to }) => to[0]).sort(),
      pushes: push.messages().filter(({ message }) => message.url.includes(id)),
      chats: chat.received.map(({ text }) => JSON.parse(text)).filter(({ text }) => text.includes(id)),
    };
  }

  /** Another process's worker, whose clock is this many minutes ahead. */
  function listTimers(minutes: number) {
    const now = () => Date.now() + minutes * MINUTE_MS;
    const { deps } = server;
    const recorder = createNoticeRecorder(deps, createOutbox(deps), now);
    return createHandoffTimers(deps, {
      recorder,
      conversationLog: createConversationLog(deps, [recorder.listener]),
      isPresent: async () => isTeamPresent,
      now,
    });
  }

  it("reach all members by email and in their browsers, and the team chat, with a link to the conversation", async () => {
    await team.member.call("PUT", "/notices", { email: false });
    await team.member.call("POST", "/notices/push-subscriptions", push.subscribe(team.userId));
    await team.owner.call("POST", "/notice-channels", { kind: "webhook", name: "Support", url: `${chat.url}/chat` });
    const { id, agentId } = await request();
    const { to, mails, pushes, chats } = await listSentAbout(id);
    const path = `/dashboard/agents/${agentId}/conversations/${id}`;
    expect(to).toEqual([team.email]);
    expect(mails[0]).toMatchObject({ subject: "Ada is waiting in Harbour: My invoice" });
    expect(mails[0]?.text).toContain("Reason: My invoice");
    expect(mails[0]?.text).toContain(path);
    expect(pushes.map(({ message }) => message)).toEqual([
      { title: "Ada wants to talk to a person", body: "My invoice", url: path, tag: id },
    ]);
    expect(chats).toEqual([
      { text: expect.stringContaining("Ada wants to talk to a person (Harbour): My invoice\nhttp") },
    ]);
    const [channel] = (await team.owner.call("GET", "/notice-channels")).body;
    expect(channel).toMatchObject({ lastError: null, lastSentAt: expect.any(String) });
  });

  it("of a team go to its members, who are told once before a target is missed", async () => {
    const members = [{ userId: team.userId, capacity: 5 }];
    const targets = { firstAnswer: 20, nextAnswer: 40 };
    const created = await team.owner.call("POST", "/teams", { name: "Workshop", members, targets });
    const handoff = { isEnabled: true, promiseMinutes: null, teamId: created.body.data.id };
    const agentId = await createAgent(team.owner, { handoff });
    const from = { organizationId: team.organizationId, agentId };
    const id = await insertConversation(server.deps.db, from, { userName: "Ada" }, [{ content: "Hello?" }]);
    await team.owner.call("POST", `/conversations/${id}/handoff`, {});
    const subjects = async () => (await listSentAbout(id)).mails.map(({ subject }) => subject);
    expect(await subjects()).toHaveLength(1);
    await listTimers(14).runOnce();
    expect(await subjects()).toHaveLength(1);
    await Promise.all([listTimers(15).runOnce(), listTimers(15).runOnce()]);
    await listTimers(19).runOnce();
    const warned = (await subjects()).filter((subject) => subject.startsWith("Ada should be answered by "));
    expect(warned).toHaveLength(1);
    expect(await subjects()).toHaveLength(2);
  });

  it("about a target are not sent once a member has answered", async () => {
    const created = await team.owner.call("POST", "/teams", { name: "Workshop", targets: { firstAnswer: 20 } });
    const handoff = { isEnabled: true, promiseMinutes: null, teamId: created.body.data.id };
    const agentId = await createAgent(team.owner, { handoff });
    const from = { organizationId: team.organizationId, agentId };
    const id = await insertConversation(server.deps.db, from, { userName: "Ada" }, [{ content: "Hello?" }]);
    await team.owner.call("POST", `/conversations/${id}/handoff`, {});
    await team.owner.call("POST", `/conversations/${id}/messages`, { content: "Hello!" });
    await listTimers(16).runOnce();
    expect((await listSentAbout(id)).mails.filter(({ subject }) => subject.includes("should be"))).toEqual([]);
  });

  it("announce ten requests to an agent one by one, and the others together when ten minutes are over", async () => {
    await team.member.call("PUT", "/notices", { email: false });
    await team.owner.call("POST", "/notices/push-subscriptions", push.subscribe(team.userId));
    await team.owner.call("POST", "/notice-channels", { kind: "webhook", name: "Support", url: `${chat.url}/chat` });
    const handoff = { isEnabled: true, promiseMinutes: null };
    const agentId = await createAgent(team.owner, { handoff });
    const other = await createAgent(team.owner, { handoff });
    const ask = async (agent: string) => {
      const from = { organizationId: team.organizationId, agentId: agent };
      const id = await insertConversation(server.deps.db, from, { userName: "Ada" }, [{ content: "Hello?" }]);
      await team.owner.call("POST", `/conversations/${id}/handoff`, {});
      return id;
    };
    const ids: string[] = [];
    for (let index = 0; index < 14; index++) ids.push(await ask(agentId));
    const countOf = async (id: string) => {
      const { mails, pushes, chats } = await listSentAbout(id);
      return [mails.length, pushes.length, chats.length];
    };
    expect(await countOf(ids[9] ?? "")).toEqual([1, 1, 1]);
    expect(await countOf(ids[10] ?? "")).toEqual([0, 0, 0]);
    expect(await countOf(await ask(other))).toEqual([1, 1, 1]);
    // One of the visitors has left in the meantime.
    await team.owner.call("DELETE", `/conversations/${ids[13]}/handoff`);
    await listTimers(9).runOnce();
    await Promise.all([listTimers(11).runOnce(), listTimers(11).runOnce()]);
    for (const id of ids) await listSentAbout(id);
    const link = `/dashboard/agents/${agentId}/conversations?view=waiting`;
    const mails = smtp.mails().filter(({ text }) => text.includes(link));
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [[team.email], "3 visitors are waiting for a person (Harbour)"],
    ]);
    const pushed = push.messages().filter(({ message }) => message.url === link);
    expect(pushed.map(({ message }) => message.title)).toEqual(["3 visitors are waiting"]);
    const posted = chat.received.map(({ text }) => JSON.parse(text).text).filter((text) => text.includes(link));
    expect(posted).toEqual([expect.stringContaining("3 visitors are waiting for a person (Harbour)")]);
  });

  it("are repeated for requests that were announced together, until members have taken them", async () => {
    const handoff = { isEnabled: true, promiseMinutes: 5 };
    const agentId = await createAgent(team.owner, { handoff });
    const ids: string[] = [];
    for (let index = 0; index < 13; index++) {
      const place = { organizationId: team.organizationId, agentId };
      const id = await insertConversation(server.deps.db, place, {}, [{ content: "Hello?" }]);
      await team.owner.call("POST", `/conversations/${id}/handoff`, {});
      ids.push(id);
    }
    const together = async () => {
      for (const id of ids) await listSentAbout(id);
      const link = `/dashboard/agents/${agentId}/conversations?view=waiting`;
      const mails = smtp.mails().filter(({ text, to }) => text.includes(link) && to.includes(team.email));
      return mails.map(({ subject }) => subject.split(" waiting")[0]);
    };
    await listTimers(11).runOnce();
    expect(await together()).toEqual(["3 visitors are"]);
    await team.owner.call("POST", `/conversations/${ids[10]}/takeover`, {});
    await listTimers(17).runOnce();
    expect(await together()).toEqual(["3 visitors are", "2 visitors are"]);
    await listTimers(23).runOnce();
    await listTimers(29).runOnce();
    expect(await together()).toHaveLength(4);
    await listTimers(100).runOnce();
    expect(await together()).toHaveLength(4);
  });

  it("contain no links of the visitor in emails to members", async () => {
    const { id } = await request({
      conversation: { userName: "Ada www.evil.example", title: "See https://evil.example/title" },
      body: { reason: "URGENT: unlock at https://evil.example/unlock or evil.example/again" },
    });
    const { mails } = await listSentAbout(id);
    expect(mails.map(({ text, subject }) => `${subject}\n${text}`).join("\n")).not.toContain("evil.example");
    expect(mails[0]?.text).toContain("Reason: URGENT: unlock at … or …");
  });

  it("show a hostile visitor's message as plain text, without a header, line, link or mention of its own", async () => {
    await team.owner.call("POST", "/notice-channels", { kind: "webhook", name: "Support", url: `${chat.url}/chat` });
    const name = "Ada\r\nBcc: victim@example.com\r\n\r\n<b>Hi</b>";
    const reason = "Help\r\nSummary: all is well\n@channel <!here> [click](https://evil.example)";
    const { id } = await request({ conversation: { userName: name }, body: { reason } });
    const { mails, chats } = await listSentAbout(id);
    for (const { to, headers, subject, text } of mails) {
      expect([to.length, headers.bcc]).toEqual([1, undefined]);
      const topic = "Help Summary: all is well @channel <!here> [click](…";
      expect(subject).toBe(`Ada Bcc: victim@example.com <b>Hi</b> is waiting in Harbour: ${topic}`);
      expect(text.split("\n").filter((line) => /^(Bcc|Summary):/.test(line))).toEqual([]);
    }
    expect(mails.length).toBe(2);
    expect(chats[0].text).not.toMatch(/<!here>|@channel|(?<!\\)\[click/);
  });

  it("are written with the request or not at all, and deleted with the conversation", async () => {
    const { id, agentId } = await request();
    const { db } = server.deps;
    const place = { organizationId: team.organizationId, agentId, conversationId: id, isTest: false, epoch: 1 };
    const handoff = await db
      .selectFrom("handoffs")
      .selectAll()
      .where("conversationId", "=", id)
      .executeTakeFirstOrThrow();
    const ofConversation = db.selectFrom("deliveries").select("id").where("conversationId", "=", id).orderBy("id");
    const before = await ofConversation.execute();
    const recorder = createNoticeRecorder(server.deps, createOutbox(server.deps));
    const log = createConversationLog(server.deps, [recorder.listener]);
    const failing = inTransaction(db, async (trx) => {
      await log.announce(trx, [{ ...place, kind: "requested", handoff, heldUntil: null, isRepeated: true }]);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(before.length).toBe(2);
    expect(await ofConversation.execute()).toEqual(before);
    await listSentAbout(id);
    expect((await team.owner.call("DELETE", `/conversations/${id}`)).status).toBe(200);
    expect(await ofConversation.execute()).toEqual([]);
    const timers = db.selectFrom("handoffTimers").selectAll().where("conversationId", "=", id);
    expect(await timers.execute()).toEqual([]);
  });

  it("go to one member after the other and then to everyone, once each, whichever process is first", async () => {
    const gone = await createMember(server, team.organizationId, "member");
    const { id } = await request({ handoff: { escalation: [team.colleague.userId, gone.userId, team.userId] } });
    expect((await team.owner.call("DELETE", `/members/${gone.userId}`)).status).toBe(200);
    expect((await listSentAbout(id)).to).toEqual([team.colleague.email]);
    await listTimers(9).runOnce();
    expect((await listSentAbout(id)).to).toHaveLength(1);
    await Promise.all([listTimers(11).runOnce(), listTimers(11).runOnce()]);
    const second = await listSentAbout(id);
    expect(second.to).toEqual([team.colleague.email, team.email].sort());
    expect(second.mails.at(-1)).toMatchObject({ subject: "Ada is still waiting in Harbour: My invoice" });
    await listTimers(22).runOnce();
    expect((await listSentAbout(id)).to).toHaveLength(4);
    await listTimers(60).runOnce();
    expect((await listSentAbout(id)).to).toHaveLength(4);
    const handoff = server.deps.db.selectFrom("handoffs").select("escalatedTo").where("conversationId", "=", id);
    expect(await handoff.executeTakeFirst()).toEqual({ escalatedTo: 2 });
    const { body } = await team.owner.call("GET", `/conversations/${id}`);
    expect(body.data.handoff).toMatchObject({ escalatedTo: 2, takenAt: null });
  });

  it("go to each member of the order once when one of them leaves the organization while a visitor waits", async () => {
    const { userId, colleague } = team;
    const third = await createMember(server, team.organizationId, "member");
    const { id } = await request({ handoff: { escalation: [colleague.userId, userId, third.userId] } });
    expect((await listSentAbout(id)).to).toEqual([colleague.email]);
    expect((await team.owner.call("DELETE", `/members/${colleague.userId}`)).status).toBe(200);
    const once = [colleague.email];
    for (const [minutes, email] of [
      [11, team.email],
      [22, third.email],
    ] as const) {
      await listTimers(minutes).runOnce();
      once.push(email);
      expect((await listSentAbout(id)).to, `after ${minutes} minutes`).toEqual(once.toSorted());
    }
    for (const minutes of [33, 44]) await listTimers(minutes).runOnce();
    expect((await listSentAbout(id)).to).toEqual([...once, team.email, third.email].sort());
  });

  it("go to everyone when the order of members has become shorter than the number of escalations", async () => {
    const { userId, colleague } = team;
    const { id, agentId } = await request({ handoff: { escalation: [colleague.userId, userId] } });
    await listTimers(11).runOnce();
    expect((await listSentAbout(id)).to).toEqual([colleague.email, team.email].sort());
    const handoff = { isEnabled: true, promiseMinutes: 10, escalation: [userId] };
    expect((await team.owner.call("PATCH", `/agents/${agentId}`, { handoff })).status).toBe(200);
    await listTimers(22).runOnce();
    expect((await listSentAbout(id)).to).toEqual([colleague.email, colleague.email, team.email, team.email].sort());
  });

  it("stop when a member has taken the conversation, or the visitor no longer waits", async () => {
    const [taken, cancelled] = [await request(), await request()];
    for (const { id } of [taken, cancelled]) await listSentAbout(id);
    await team.member.call("POST", `/conversations/${taken.id}/takeover`);
    await team.owner.call("DELETE", `/conversations/${cancelled.id}/handoff`);
    await listTimers(11).runOnce();
    for (const { id } of [taken, cancelled]) expect((await listSentAbout(id)).to).toHaveLength(2);
  });

  it("give times in the time zone of the agent's office hours, in UTC without them, and the zone with each time", async () => {
    const hours = { timeZone: "Asia/Kolkata", days: [{ day: 1, from: "09:00", to: "17:00" }], exceptions: [] };
    const [abroad, unknown] = [await request({ handoff: { hours } }), await request()];
    const [mail] = (await listSentAbout(abroad.id)).mails;
    expect(mail?.text).toMatch(/asked to talk to a person on \d+ \w+ \d{4} at \d\d:\d\d \(Asia\/Kolkata\)\./);
    expect(mail?.html).toMatch(/Reply promised by<\/th><td[^>]*>\d+ \w+ \d{4} at 09:10 \(Asia\/Kolkata\)/);
    const [other] = (await listSentAbout(unknown.id)).mails;
    expect(other?.text).toMatch(/Reply promised by: .*\(UTC\)/);
  });

  it("send no push messages outside office hours, and escalate once the team is available", async () => {
    await team.owner.call("POST", "/notices/push-subscriptions", push.subscribe(team.userId));
    const tomorrow = new Date(Date.now() + 86_400_000);
    const day = tomorrow.getUTCDay() || 7;
    const hours = { timeZone: "UTC", days: [{ day, from: "09:00", to: "17:00" }], exceptions: [] };
    const { id } = await request({ handoff: { hours } });
    expect(await listSentAbout(id)).toMatchObject({
      pushes: [],
      to: expect.toSatisfy((to: string[]) => to.length === 2),
    });
    const opening = Date.UTC(tomorrow.getUTCFullYear(), tomorrow.getUTCMonth(), tomorrow.getUTCDate(), 9);
    const minutes = (opening - Date.now()) / MINUTE_MS;
    await listTimers(minutes + 9).runOnce();
    expect((await listSentAbout(id)).pushes).toEqual([]);
    await listTimers(minutes + 11).runOnce();
    expect((await listSentAbout(id)).pushes).toMatchObject([{ message: { title: "Ada is still waiting" } }]);
  });

  it("reach the team once in three minutes, however often a visitor asks and cancels, and after that if they still wait", async () => {
    const { id } = await request();
    expect((await listSentAbout(id)).to).toHaveLength(2);
    for (let times = 0; times < 5; times++) {
      await team.owner.call("DELETE", `/conversations/${id}/handoff`);
      await team.owner.call("POST", `/conversations/${id}/handoff`, { reason: `Again ${times}` });
    }
    expect((await listSentAbout(id)).to).toHaveLength(2);
    const requests = server.deps.db.selectFrom("handoffs").select("announcedAt").where("conversationId", "=", id);
    expect(await requests.execute()).toHaveLength(6);
    await Promise.all([listTimers(4).runOnce(), listTimers(4).runOnce()]);
    const { to, mails } = await listSentAbout(id);
    expect(to).toHaveLength(4);
    expect(mails.at(-1)).toMatchObject({ subject: "Ada is waiting in Harbour: Again 4" });
    expect(mails.at(-1)?.text).toContain("Reason: Again 4");
    await listTimers(15).runOnce();
    expect((await listSentAbout(id)).to).toHaveLength(6);
  });

  it("reach the team at once when a visitor asks again after a member has returned the conversation", async () => {
    const { id } = await request();
    // Notices that have not been sent before the takeover are no longer needed.
    expect((await listSentAbout(id)).to).toHaveLength(2);
    await team.member.call("POST", `/conversations/${id}/takeover`);
    await team.member.call("POST", `/conversations/${id}/return`, {});
    expect((await listSentAbout(id)).to).toHaveLength(2);
    await team.owner.call("POST", `/conversations/${id}/handoff`, { reason: "One more question" });
    expect((await listSentAbout(id)).to).toHaveLength(4);
  });

  it("push a visitor's message to an absent member only during office hours, and send email at any time", async () => {
    await team.member.call("POST", "/notices/push-subscriptions", push.subscribe(team.colleague.userId));
    isTeamPresent = false;
    const tomorrow = new Date(Date.now() + 86_400_000);
    const day = tomorrow.getUTCDay() || 7;
    const hours = { timeZone: "UTC", days: [{ day, from: "09:00", to: "17:00" }], exceptions: [] };
    const opening = Date.UTC(tomorrow.getUTCFullYear(), tomorrow.getUTCMonth(), tomorrow.getUTCDate(), 9);
    const minutes = Math.ceil((opening - Date.now()) / MINUTE_MS);
    const heard = async (id: string) => {
      const { mails, pushes } = await listSentAbout(id);
      const written = mails.filter(({ subject }) => subject.includes("has written to you"));
      return [written.length, pushes.length];
    };
    const write = async () => {
      const { id, agentId } = await request({ handoff: { hours } });
      await team.member.call("POST", `/conversations/${id}/takeover`);
      const messages = [{ role: "user", content: "Are you still there?" }];
      await team.owner.call("POST", "/chat", { agentId, conversationId: id, messages });
      await listTimers(3).runOnce();
      return id;
    };
    const mailed = await write();
    expect(await heard(mailed)).toEqual([1, 0]);
    await team.member.call("PUT", "/notices", { email: false });
    const silent = await write();
    expect(await heard(silent)).toEqual([0, 0]);
    await listTimers(minutes + 1).runOnce();
    expect([await heard(mailed), await heard(silent)]).toEqual([
      [1, 0],
      [0, 1],
    ]);
    isTeamPresent = true;
  });

  it("tell a member that a colleague has assigned them a conversation, and once that the visitor writes while they are away", async () => {
    await team.member.call("POST", "/notices/push-subscriptions", push.subscribe(team.colleague.userId));
    const { id, agentId } = await request();
    const before = (await listSentAbout(id)).mails.length;
    const news = async () => {
      const { mails, pushes } = await listSentAbout(id);
      return { mails: mails.slice(before).map(({ to, subject }) => [to[0], subject]), pushes: pushes.slice(1) };
    };
    await team.owner.call("POST", `/conversations/${id}/assign`, { userId: team.colleague.userId });
    const assigned = [team.colleague.email, "Ada was assigned to you (Harbour)"];
    expect(await news()).toMatchObject({
      mails: [assigned],
      pushes: [{ message: { title: "Ada was assigned to you" } }],
    });

    const write = () =>
      team.owner.call("POST", "/chat", {
        agentId,
        conversationId: id,
        messages: [{ role: "user", content: "Hello?" }],
      });
    await write();
    await listTimers(1).runOnce();
    await listTimers(3).runOnce();
    expect((await news()).mails).toEqual([assigned]);
    isTeamPresent = false;
    await listTimers(5).runOnce();
    await write();
    await listTimers(600).runOnce();
    const written = [team.colleague.email, "Ada has written to you (Harbour)"];
    expect((await news()).mails).toEqual([assigned, written]);

    await team.member.call("POST", `/conversations/${id}/messages`, { content: "Hello Ada." });
    await write();
    await listTimers(3).runOnce();
    expect((await news()).mails).toEqual([assigned, written, written]);
    // A conversation that a member takes, or assigns to themselves, needs no notice.
    await team.owner.call("POST", `/conversations/${id}/assign`, { userId: team.userId });
    expect((await news()).mails).toHaveLength(3);
    isTeamPresent = true;
  });

  it("reach the team again, with a new promise, when the member who has the conversation leaves the organization", async () => {
    const { id } = await request();
    const other = await request();
    await team.member.call("POST", `/conversations/${id}/takeover`);
    await team.owner.call("POST", `/conversations/${other.id}/takeover`);
    const before = (await listSentAbout(id)).to;
    expect((await team.owner.call("DELETE", `/members/${team.colleague.userId}`)).status).toBe(200);
    await listTimers(0).runOnce();
    const shown = async (conversation: string) => (await team.owner.call("GET", `/conversations/${conversation}`)).body;
    const { data } = await shown(id);
    expect(data).toMatchObject({
      handler: "waiting",
      epoch: 3,
      assignee: null,
      handoff: { cause: "visitor", reason: "My invoice", takenAt: null },
    });
    expect(Date.parse(data.handoff.promisedAt) - Date.parse(data.handoff.requestedAt)).toBe(10 * MINUTE_MS);
    expect(data.handoffs).toMatchObject([{ endedHow: "left", endedBy: null }, { endedHow: null }]);
    expect((await listSentAbout(id)).to).toEqual([...before, team.email].sort());
    expect((await shown(other.id)).data.handler).toBe("human");
    // Earlier versions left conversations assigned to members who had left. The server notices this at the visitor's
    // next message.
    await server.deps.db
      .updateTable("conversations")
      .set({ assigneeId: "user_gone" })
      .where("id", "=", other.id)
      .execute();
    const { agentId } = other;
    const { id: handoffId } = await server.deps.db
      .selectFrom("handoffs")
      .select("id")
      .where("conversationId", "=", other.id)
      .executeTakeFirstOrThrow();
    const place = { organizationId: team.organizationId, conversationId: other.id, handoffId };
    // The member has already been notified of an earlier message, so no further reminder would be sent.
    const reminded = { kind: "message" as const, step: 0, dueAt: Number.MAX_SAFE_INTEGER };
    await server.deps.db
      .insertInto("handoffTimers")
      .values({ ...place, ...reminded })
      .execute();
    const messages = [{ role: "user", content: "Are you there?" }];
    await team.owner.call("POST", "/chat", { agentId, conversationId: other.id, messages });
    await listTimers(0).runOnce();
    expect((await shown(other.id)).data).toMatchObject({ handler: "waiting", assignee: null });
  });

  it("email the answer to the newest address when the visitor has left another one in the meantime", async () => {
    const { id } = await request({ body: { email: "old@example.com" } });
    const say = (content: string) => team.member.call("POST", `/conversations/${id}/messages`, { content });
    await say("One moment.");
    await team.member.call("POST", `/conversations/${id}/return`, {});
    await team.owner.call("POST", `/conversations/${id}/handoff`, { email: "new@example.com" });
    await say("Here I am.");
    const before = (await listSentAbout(id)).mails.length;
    await listTimers(3).runOnce();
    const [mail, ...more] = (await listSentAbout(id)).mails.slice(before);
    expect([mail?.to, more]).toEqual([["new@example.com"], []]);
    expect(mail?.text).toContain("One moment.");
    const { data } = (await team.owner.call("GET", `/conversations/${id}`)).body;
    expect(data.answerEmails).toEqual([{ to: "new@example.com", at: expect.any(String), state: "delivered" }]);
    expect(data.handoffs.map(({ email }: { email: string }) => email)).toEqual(["old@example.com", "new@example.com"]);
    const token = createConversationToken(server.deps.encryption, id);
    const asVisitor = { url: `/conversations/${id}`, headers: { authorization: `Bearer ${token}` } };
    expect((await server.app.inject(asVisitor)).json().data).not.toHaveProperty("answerEmails");
  });

  it("email the answer to a visitor who is away, with a quote of the conversation and a link that opens it", async () => {
    const page = "https://shop.example/bikes?id=7#photos";
    const { id } = await request({
      settings: { allowedOrigins: ["https://shop.example"] },
      conversation: { context: JSON.stringify({ page, language: "de-CH" }) },
      body: { reason: "My invoice", email: "ada@example.com" },
    });
    await listSentAbout(id);
    for (const content of ["Hello Ada.", "See https://shop.example/refunds"]) {
      await team.member.call("POST", `/conversations/${id}/messages`, { content });
    }
    await listTimers(1).runOnce();
    const byNow = (await listSentAbout(id)).to.length;
    await Promise.all([listTimers(3).runOnce(), listTimers(3).runOnce()]);
    const { mails } = await listSentAbout(id);
    expect(mails).toHaveLength(byNow + 1);
    const mail = mails.at(-1);
    expect(mail).toMatchObject({ to: ["ada@example.com"], subject: expect.stringContaining("hat Ihnen geantwortet") });
    expect(mail?.text).toContain("Hello Ada.\n\nSee https://shop.example/refunds");
    expect(mail?.text).toContain("> Sie: Hello?\n> Harbour: See …");
    const [, place, ofConversation, token = ""] = /(\S+)#foyer-conversation=(\w+)\.(\S+)/.exec(mail?.text ?? "") ?? [];
    expect([place, ofConversation]).toEqual(["https://shop.example/bikes?id=7", id]);
    expect(readLinkVersion(server.deps.encryption, id, token)).toBe(0);
    expect(isTokenFor(server.deps.encryption, id, token)).toBe(false);
    await listTimers(10).runOnce();
    expect((await listSentAbout(id)).mails).toHaveLength(byNow + 1);
  });

  it("email the pictures and files of the answer, and not those of the visitor", async () => {
    const { id } = await request({ body: { email: "ada@example.com" } });
    const picture = tinyPictures["image/png"];
    const upload = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?conversationId=${id}`,
      headers: {
        cookie: [...team.member.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "sec-fetch-site": "same-origin",
        "content-type": "application/octet-stream",
        "x-filename": "plan.png",
      },
      payload: picture,
    });
    const answer = { content: "The plan", attachments: [upload.json().data.id] };
    expect((await team.member.call("POST", `/conversations/${id}/messages`, answer)).status).toBe(201);
    const before = (await listSentAbout(id)).mails.length;
    await listTimers(3).runOnce();
    const [mail, ...more] = (await listSentAbout(id)).mails.slice(before);
    expect([mail?.to, more]).toEqual([["ada@example.com"], []]);
    expect(mail?.text).toContain("The plan");
    expect(mail?.raw).toMatch(/Content-Disposition: attachment; filename="?plan\.png/i);
    expect(mail?.raw).toMatch(/Content-Type: image\/png/i);
    expect(mail?.raw.replaceAll("\r\n", "")).toContain(picture.toString("base64"));
    expect(mail?.raw.match(/Content-Disposition: attachment/gi)).toHaveLength(1);
  });

  it("send by email only the messages that no page of the visitor has received", async () => {
    const { id } = await request({ body: { email: "ada@example.com" } });
    const before = (await listSentAbout(id)).mails.length;
    const [greeting, answer, last] = ["Hello Ada.", "It is in Zurich.", "Are you there?"] as const;
    const say = (content: string) => team.member.call("POST", `/conversations/${id}/messages`, { content });
    const timer = server.deps.db.selectFrom("handoffTimers").select(["step", "dueAt"]).where("conversationId", "=", id);
    await say(greeting);
    const first = await timer.executeTakeFirstOrThrow();
    await recordSeen(server.deps.db, id, first.step);
    await say(answer);
    const second = await timer.executeTakeFirstOrThrow();
    await say(last);
    expect(second.step).toBe(first.step + 1);
    expect(second.dueAt).toBeGreaterThanOrEqual(first.dueAt);
    expect(await timer.executeTakeFirstOrThrow()).toEqual(second);
    await recordSeen(server.deps.db, id, second.step);
    await listTimers(3).runOnce();
    const mails = (await listSentAbout(id)).mails.slice(before);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toMatch(/^[^\n]+\n\nAre you there\?\n\nContinue/);

    await say("Goodbye.");
    await recordSeen(server.deps.db, id, second.step + 2);
    await listTimers(6).runOnce();
    expect((await listSentAbout(id)).mails.slice(before)).toHaveLength(1);
  });

  it("send no answer by email to a visitor who is on the page, or who left no address", async () => {
    const present = await request({ body: { email: "ada@example.com" } });
    const unknown = await request();
    const before = [];
    for (const { id } of [present, unknown]) {
      await team.member.call("POST", `/conversations/${id}/messages`, { content: "Hello." });
      before.push((await listSentAbout(id)).to.length);
    }
    const recorder = createNoticeRecorder(server.deps, createOutbox(server.deps));
    const { id: conversationId, agentId } = present;
    const place = { organizationId: team.organizationId, agentId, conversationId, isTest: false, epoch: 2 };
    const log = createConversationLog(server.deps, [recorder.listener]);
    await inTransaction(server.deps.db, (trx) =>
      log.announce(trx, [{ ...place, kind: "visitor_message", messageId: "msg_1" }]),
    );
    await listTimers(3).runOnce();
    for (const [index, { id }] of [present, unknown].entries()) {
      expect((await listSentAbout(id)).to.length).toBe(before[index]);
    }
  });

  it("tell a colleague whom a note mentions, by email, with the note and the conversation", async () => {
    const { db } = server.deps;
    await db.updateTable("users").set({ name: "Mara Lind" }).where("id", "=", team.colleague.userId).execute();
    const agentId = await createAgent(team.owner);
    const from = { organizationId: team.organizationId, agentId };
    const id = await insertConversation(db, from, {}, [{ content: "Hello?" }]);
    const text = "Can you look at the invoice, @mara? @nobody cannot.";
    const { body } = await team.owner.call("POST", `/conversations/${id}/notes`, { text });
    expect(body.data.mentions).toEqual([{ userId: team.colleague.userId, name: "Mara Lind", initials: "ML" }]);
    const { mails } = await listSentAbout(id);
    expect(mails.map(({ to }) => to)).toEqual([[team.colleague.email]]);
    expect(mails[0]?.text).toContain("Can you look at the invoice, @mara?");
  });

  it("do not tell members that they mentioned themselves", async () => {
    const { db } = server.deps;
    await db.updateTable("users").set({ name: "Ada Owner" }).where("email", "=", team.email).execute();
    const agentId = await createAgent(team.owner);
    const id = await insertConversation(db, { organizationId: team.organizationId, agentId }, {}, [{ content: "?" }]);
    await team.owner.call("POST", `/conversations/${id}/notes`, { text: "@Ada Owner, remember the invoice" });
    expect((await listSentAbout(id)).mails).toEqual([]);
  });
});
