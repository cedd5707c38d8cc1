import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { type SmtpTestServer, startSmtpServer } from "../../../../../test/smtp-server.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";
import { startVisit } from "../../../../../test/visit.ts";
import { localeIds } from "../../../../widget/src/locales/choose-locale.ts";
import { readRatingToken } from "../../auth/conversation-token.ts";
import { createConversationLog } from "../../conversations/log/log.ts";
import { ratingLanguages, ratingTexts } from "../../conversations/rating-texts.ts";
import { renderMail } from "../../outbound/mail-content.ts";
import { createOutbox } from "../../outbox/outbox.ts";
import { createHandoffTimers } from "./handoff-timers.ts";
import { ratingMail } from "./rating-mail.ts";
import { createNoticeRecorder } from "./record-notices.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

onBothDatabases("the email that asks for a rating", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let smtp: SmtpTestServer;
  let server: TestServer;
  let owner: Awaited<ReturnType<typeof signedInBrowser>>;
  let agentId: string;
  let visitors = 0;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    smtp = await startSmtpServer();
    const env = {
      SMTP_URL: smtp.url,
      OPENAI_COMPATIBLE_BASE_URL: upstream.url,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
    };
    server = await startServer({ database, env });
    owner = await signedInBrowser(server, (await createOwner(server)).email);
    // Only the emails to visitors matter here.
    await owner.call("PUT", "/notices", { email: false });
    agentId = await createAgent(owner, { name: "Harbour", handoff: { isEnabled: true }, askRating: "all" });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await smtp.close();
    await database.drop();
  });

  /** A visitor who left an address for an answer, unless `hasLeftAddress` is false. */
  async function visit({
    hasLeftAddress = true,
    address = `visitor-${++visitors}@example.com`,
  }: {
    hasLeftAddress?: boolean;
    address?: string;
  } = {}) {
    upstream.script(sayWords("Hello."));
    const visit = await startVisit(server, agentId);
    const { id, token } = visit;
    const asVisitor = (method: "GET" | "POST", path: string, payload?: object) =>
      server.app.inject({
        method,
        url: `/conversations/${id}${path}`,
        headers: { authorization: `Bearer ${token}` },
        ...(payload ? { payload } : {}),
      });
    const change = (action: string) => owner.call("POST", `/conversations/${id}/${action}`);
    await asVisitor("POST", "/handoff", hasLeftAddress ? { email: address } : {});
    await change("takeover");
    return { ...visit, address, asVisitor, change };
  }

  /** Runs the timers of a process whose clock is ahead, until no delivery about the conversation is left. */
  async function runTimers(id: string, minutes = 11) {
    const now = () => Date.now() + minutes * MINUTE_MS;
    const { deps } = server;
    const recorder = createNoticeRecorder(deps, createOutbox(deps), now);
    const conversationLog = createConversationLog(deps, [recorder.listener]);
    const timers = createHandoffTimers(deps, { recorder, conversationLog, isPresent: async () => true, now });
    await timers.runOnce();
    const open = deps.db
      .selectFrom("deliveries")
      .select("id")
      .where("conversationId", "=", id)
      .where("state", "=", "pending");
    await expect.poll(() => open.execute()).toEqual([]);
  }

  /** The emails that asked a visitor for a rating. */
  const mailsTo = (address: string) =>
    smtp.mails().filter(({ to, text }) => to.includes(address) && text.includes("/rate/"));

  it("is sent once, ten minutes after the end, with links that rate this conversation only", async () => {
    const { id, address, change } = await visit();
    await change("resolve");
    await runTimers(id, 9);
    expect(mailsTo(address)).toEqual([]);
    await runTimers(id);
    await runTimers(id, 1_000);
    await change("reopen");
    await change("resolve");
    await runTimers(id);
    const [mail, ...others] = mailsTo(address);
    expect([mail?.subject, others]).toEqual(["How was your conversation with Harbour?", []]);
    const links = [...(mail?.html ?? "").matchAll(/href="([^"]+)"/g)].map(([, url = ""]) =>
      URL.parse(url.replaceAll("&amp;", "&")),
    );
    expect(links.map((url) => url?.searchParams.get("score"))).toEqual(["1", "2", "3", "4", "5"]);
    const token = links[0]?.searchParams.get("token") ?? "";
    expect(readRatingToken(server.deps.encryption, id, token)).toEqual({ linkVersion: 0, isExpired: false });
    expect(readRatingToken(server.deps.encryption, "conv_other", token)).toBeNull();
    // The link rates the conversation, and cannot read it.
    const headers = { authorization: `Bearer ${token}` };
    expect((await server.app.inject({ url: `/conversations/${id}`, headers })).statusCode).toBe(401);
  });

  it("is not sent to a visitor who left no address", async () => {
    const { id, change } = await visit({ hasLeftAddress: false });
    await change("resolve");
    const timers = server.deps.db.selectFrom("handoffTimers").select("kind").where("conversationId", "=", id);
    expect(await timers.execute()).toEqual([]);
  });

  it("is not sent when the agent does not ask", async () => {
    const { id, address, change } = await visit();
    await owner.call("PATCH", `/agents/${agentId}`, { askRating: null });
    await change("resolve");
    await owner.call("PATCH", `/agents/${agentId}`, { askRating: "all" });
    await runTimers(id);
    expect(mailsTo(address)).toEqual([]);
  });

  it("is not sent to a visitor who has seen the question in the widget", async () => {
    const { id, address, change, asVisitor } = await visit();
    await change("resolve");
    expect((await asVisitor("GET", "/rating")).json().data.isAsked).toBe(true);
    await runTimers(id);
    expect(mailsTo(address)).toEqual([]);
  });

  it("is sent although a member has read whether the conversation is rated", async () => {
    const { id, address, change } = await visit();
    await change("resolve");
    expect((await owner.call("GET", `/conversations/${id}/rating`)).body.data.isAsked).toBe(true);
    await runTimers(id);
    expect(mailsTo(address)).toHaveLength(1);
  });

  it("is not sent to a visitor who has rated the conversation", async () => {
    const { id, address, change, asVisitor } = await visit();
    await change("resolve");
    expect((await asVisitor("POST", "/rating", { score: 4 })).statusCode).toBe(200);
    await runTimers(id);
    expect(mailsTo(address)).toEqual([]);
  });

  it("is not sent to a visitor who has written again", async () => {
    const { id, address, change, say } = await visit();
    await change("resolve");
    await say("One more question");
    await runTimers(id);
    expect(mailsTo(address)).toEqual([]);
  });

  it("is not sent about a conversation in the trash, and not after it was deleted", async () => {
    const { id, address, change } = await visit();
    await change("resolve");
    await change("trash");
    await runTimers(id);
    await owner.call("DELETE", `/conversations/${id}`);
    await runTimers(id, 1_000);
    expect(mailsTo(address)).toEqual([]);
  });

  it("is sent to an address at most five times a day, in whatever case the address is written", async () => {
    const spellings = ["neighbour", "Neighbour", "NEIGHBOUR", "neighbour", "nEighbour", "neighbouR"];
    for (const name of spellings) {
      const { id, change } = await visit({ address: `${name}@example.com` });
      await change("resolve");
      await runTimers(id);
    }
    const mails = smtp.mails().filter(({ to, text }) => /neighbour@/i.test(String(to)) && text.includes("/rate/"));
    expect(mails).toHaveLength(5);
  });

  it("is not sent again by a process that finds that another one was killed while sending it", async () => {
    const { id, address, change } = await visit();
    await change("resolve");
    const { db } = server.deps;
    await db.updateTable("handoffs").set({ ratingMailedAt: Date.now() }).where("conversationId", "=", id).execute();
    await runTimers(id);
    expect(mailsTo(address)).toEqual([]);
  });

  it("is not sent again when the mail server hangs up before it confirms the email", async () => {
    const { id, address, change } = await visit();
    await change("resolve");
    smtp.script({ hangUpAt: "mail" });
    await runTimers(id);
    smtp.script({});
    expect(mailsTo(address)).toHaveLength(1);
    const deliveries = server.deps.db.selectFrom("deliveries").select("state").where("conversationId", "=", id);
    expect((await deliveries.execute()).map(({ state }) => state)).toContain("failed");
  });

  it("can be sent later when the mail server refused it", async () => {
    const { id, address, change } = await visit();
    await change("resolve");
    const { db } = server.deps;
    const claims = db.selectFrom("handoffs").select("ratingMailedAt").where("conversationId", "=", id);
    smtp.script({ recipient: "450 Try again later" });
    const running = runTimers(id);
    const attempted = db
      .selectFrom("deliveries")
      .select("attempts")
      .where("conversationId", "=", id)
      .where("target", "like", "%rating%");
    await expect.poll(async () => (await attempted.execute())[0]?.attempts).toBe(1);
    expect(await claims.execute()).toEqual([{ ratingMailedAt: null }]);
    smtp.script({});
    await db.updateTable("deliveries").set({ dueAt: 0 }).where("conversationId", "=", id).execute();
    await running;
    expect(mailsTo(address)).toHaveLength(1);
    expect(await claims.execute()).not.toEqual([{ ratingMailedAt: null }]);
  });

  it("is not sent when the question has expired in the meantime", async () => {
    const { id, address, change } = await visit();
    await change("resolve");
    const { db } = server.deps;
    const expired = { ratingAskedAt: Date.now() - 30 * DAY_MS };
    await db.deleteFrom("messages").where("conversationId", "=", id).execute();
    await db.updateTable("conversations").set(expired).where("id", "=", id).execute();
    await runTimers(id);
    expect(mailsTo(address)).toEqual([]);
  });
});

describe("the texts about a rating", () => {
  const sender = { name: "Harbour", color: null };
  const facts = { conversationId: "conv_1", agentName: "Harbour", sender, question: null, context: null };
  const place = { baseUrl: "https://chat.example", token: "frt_1" };

  it("exist in every language of the widget, with the same placeholders", () => {
    expect([...ratingLanguages].sort()).toEqual([...localeIds].sort());
    const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
    const english = ratingTexts("en").texts;
    for (const language of ratingLanguages) {
      const { texts } = ratingTexts(language);
      for (const [name, text] of Object.entries(texts)) {
        const expected = placeholders(english[name as keyof typeof english]);
        expect([language, name, placeholders(text)]).toEqual([language, name, expected]);
      }
    }
  });

  it("of the email are in the language of the visitor's browser, with the agent's own question", () => {
    const mail = ratingMail({ ...facts, question: "Haben wir geholfen?", context: '{"language":"de-CH"}' }, place);
    expect([mail.language, mail.subject]).toEqual(["de", "Wie war Ihr Gespräch mit Harbour?"]);
    expect(renderMail(mail, "chat.example").text).toBe(
      [
        "Haben wir geholfen?",
        "Ihr Gespräch mit Harbour ist beendet. Wählen Sie eine Zahl, um es zu bewerten:",
        "Bewertung senden\nhttps://chat.example/rate/conv_1?token=frt_1",
        "1 ist sehr schlecht, 5 ist sehr gut.",
        "Sie erhalten diese E-Mail einmalig, weil Sie diese Adresse im Gespräch hinterlassen haben.",
      ].join("\n\n"),
    );
  });

  it("of the email contain no markup and no second line of a hostile name", () => {
    const mail = ratingMail({ ...facts, agentName: "<b>$&</b>\r\nBcc: x@example.com" }, place);
    expect(mail.subject).toBe("How was your conversation with <b>$&</b> Bcc: x@example.com?");
    expect(renderMail(mail, "chat.example").html).not.toContain("<b>");
  });
});
