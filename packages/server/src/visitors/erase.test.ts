import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { visitorDataKinds } from "@foyer/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { erasureMap, tablesWithoutVisitorData } from "../../../../test/erasure-map.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember } from "../../../../test/session-client.ts";
import { createTemporaryFolder } from "../../../../test/temporary-folders.ts";
import { insertPerson, type Person } from "../../../../test/visitor-seed.ts";
import { createEncryption } from "../encryption.ts";
import { deleteAgentEventsBefore } from "../events/retention.ts";
import { newId } from "../ids.ts";
import { applyRestoreLedger, readLedgerFile, readRestoreLedger, writeLedgerFile } from "../restore-ledger.ts";
import { eraseAgain } from "./erase-again.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;
type World = { account: Account; agentId: string; toolId: string };

/** Three for each way to name a visitor. `npm run test:large` erases 50, who leave more than 1,000 tokens. */
const PEOPLE = Number(process.env.FOYER_ERASED_PEOPLE ?? 12);

onBothDatabases("erasing visitors", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let world: World;
  let foreign: World;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    [world, foreign] = [await createWorld(server), await createWorld(server)];
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const plant = ({ account, agentId, toolId }: World, number: number) => {
    const { organizationId } = account;
    return insertPerson(server.deps.db, server.deps.encryption, { organizationId, agentId, toolId, number });
  };

  /** A Telegram group of the organization. @returns the id of its channel */
  async function addBot(organizationId: string): Promise<string> {
    const { db } = server.deps;
    const id = newId("channel");
    const channel = { organizationId, name: "Support", isEnabled: 1, createdAt: 0 } as const;
    await db
      .insertInto("noticeChannels")
      .values({ ...channel, id, kind: "telegram", url: null, lastError: null, lastSentAt: null })
      .execute();
    const chat = { platform: "telegram", chatId: id, credentials: "", tokenHash: id, hasTopics: 0 } as const;
    const state = { state: "connected", problem: null, failures: 0, fence: 0, dueAt: null } as const;
    await db
      .insertInto("teamChats")
      .values({ ...chat, ...state, channelId: id, organizationId, botName: null, chatTitle: null, cursor: null })
      .execute();
    return id;
  }

  it("covers every table, or states why it holds no visitors' data", async () => {
    const { db, databaseKind } = server.deps;
    const listed =
      databaseKind === "sqlite"
        ? // Without the full-text index of `searchTexts`.
          sql<{ name: string }>`select name from pragma_table_list where type = 'table' and name not like 'sqlite_%'
            and schema = 'main'`
        : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`;
    const tables = (await listed.execute(db)).rows.map(({ name }) => name).filter((name) => name !== "migrations");
    expect(Object.keys({ ...erasureMap, ...tablesWithoutVisitorData }).sort()).toEqual(tables.sort());
  });

  it(`leaves no token of ${PEOPLE} people in the database or its files, and every other row as it was`, async () => {
    const erased: Person[] = [];
    for (let number = 0; number < PEOPLE * 2; number++) {
      const person = await plant(number % 2 === 0 ? world : foreign, number);
      if (number % 2 === 0) erased.push(person);
    }
    const kept = await plant(world, PEOPLE * 2);
    const tokens = erased.flatMap((person) => [...person.tokens, person.conversationId, person.submissionId]);
    expect(tokens.length).toBeGreaterThan(PEOPLE * 20);
    const before = await dump(server, tokens);
    expect(before.found).toBe(PEOPLE * 27);

    for (const [index, person] of erased.entries()) {
      const body = [
        { userId: person.userId },
        { email: person.email.toUpperCase() },
        { sessionId: person.sessionId },
        { conversationId: person.conversationId },
      ][index % 4];
      const dryRun = index < 4 && (await world.account.call("POST", "/visitors/erase", { ...body, dryRun: true }));
      const { body: receipt, status } = await world.account.call("POST", "/visitors/erase", body);
      expect(status, JSON.stringify(receipt)).toBe(200);
      const everything = {
        conversations: 1,
        messages: 2,
        handoffs: 1,
        notes: 1,
        unansweredQuestions: 1,
        submissions: 1,
        files: 1,
        attachments: 1,
        agentTests: 1,
      };
      expect(receipt).toEqual({
        id: expect.stringMatching(/^erasure_/),
        erasedAt: expect.any(String),
        identifierHash: expect.stringMatching(/^[\w-]{43}$/),
        counts: { ...everything, deliveries: 4, events: 2, triggerEvents: 1, tokenCounters: 1 },
        receivers: ["desk@shop.example", "events.example", "hooks.example"],
      });
      if (dryRun) expect(dryRun.body).toEqual({ ...receipt, id: null, erasedAt: null });
    }

    const after = await dump(server, tokens);
    expect(after.found).toBe(0);
    expect(after.others).toEqual(before.others);
    expect(JSON.stringify(after.others)).toContain(kept.tokens[0]);
    if (database.address.kind === "sqlite") expect(findTokensInFiles(database.address.file, tokens)).toEqual([]);
    else expect(await findTokensInCopy(server, tokens)).toEqual([]);
  });

  it("finds the submissions of a visitor who proved the address, outside of conversations and without it in an answer", async () => {
    const person = await plant(world, 2_000);
    const { db } = server.deps;
    const verified = { id: "u-2000", email: "Proven@Example.com", name: null, claims: {} };
    const changes = { conversationId: null, formData: "{}", verifiedVisitor: JSON.stringify(verified) };
    await db.updateTable("submissions").set(changes).where("id", "=", person.submissionId).execute();
    const { body } = await world.account.call("POST", "/visitors/erase", { email: "proven@example.com" });
    expect(body.counts).toMatchObject({ conversations: 0, submissions: 1, files: 1 });
    const left = db.selectFrom("submissions").select("id").where("id", "=", person.submissionId);
    expect(await left.execute()).toEqual([]);
  });

  it("finds the conversation in which a visitor left the address for an answer, and who was notified of it", async () => {
    const person = await plant(world, 3_000);
    const { db } = server.deps;
    const { organizationId } = world.account;
    const { userId, email } = await createMember(server, organizationId, "member");
    const channelId = await addBot(organizationId);
    const sent = [
      { kind: "notice", type: "webhook", host: "push.example", target: { notice: "request", userId, pushId: "p" } },
      { kind: "notice", type: "email", host: "mail", target: { notice: "request", userId } },
      { kind: "notice", type: "email", host: "mail", target: { notice: "answer", from: 1, to: 2 } },
      { kind: "team_chat", type: "team_chat", host: channelId, target: { postId: "post_1" } },
    ] as const;
    for (const [index, { target, ...delivery }] of sent.entries()) {
      const { conversationId } = person;
      const about = { submissionId: null, webhookId: null, eventId: null, conversationId, position: 0 };
      const state = { purpose: "notice", state: "delivered", attempts: 1, attemptsBefore: 0, fence: 1 } as const;
      await db
        .insertInto("deliveries")
        .values({
          ...delivery,
          ...about,
          ...state,
          id: `delivery_3000_${index}`,
          target: JSON.stringify(target),
          dueAt: 0,
          createdAt: 0,
        })
        .execute();
    }
    await db
      .insertInto("teamChatThreads")
      .values({ id: "thread_3000", channelId, conversationId: person.conversationId, thread: null, lastPost: 1 })
      .execute();
    // Neither deleting the channel nor the departure of the member changes who received the data.
    expect((await world.account.call("DELETE", `/notice-channels/${channelId}`)).status).toBe(200);
    await db.deleteFrom("members").where("userId", "=", userId).execute();
    const { body } = await world.account.call("POST", "/visitors/erase", { email: person.leftEmail });
    expect(body).toMatchObject({ counts: { conversations: 1, deliveries: 8 } });
    const notified = ["api.telegram.org", "push.example", email];
    expect(body.receivers).toEqual([...notified, "desk@shop.example", "events.example", "hooks.example"].sort());
    const left = db.selectFrom("conversations").select("id").where("id", "=", person.conversationId);
    expect(await left.execute()).toEqual([]);
  });

  it("does not disturb the deletion of a channel whose bot posted about the visitor", async () => {
    const { db, databaseKind } = server.deps;
    if (databaseKind === "sqlite") return;
    const { conversationId } = await plant(world, 3_001);
    const channelId = await addBot(world.account.organizationId);
    const about = { submissionId: null, webhookId: null, eventId: null, conversationId, position: 0 };
    const state = { purpose: "notice", state: "delivered", attempts: 1, attemptsBefore: 0, fence: 1 } as const;
    const post = { kind: "team_chat", type: "team_chat", host: channelId, target: "{}" } as const;
    await db
      .insertInto("deliveries")
      .values({ ...about, ...state, ...post, id: "delivery_3001", dueAt: 0, createdAt: 0 })
      .execute();
    await db
      .insertInto("teamChatThreads")
      .values({ id: "thread_3001", channelId, conversationId, thread: null, lastPost: 1 })
      .execute();
    const waiting = sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const deletion = await db.transaction().execute(async (trx) => {
      await trx.deleteFrom("conversations").where("id", "=", conversationId).execute();
      const response = world.account.call("DELETE", `/notice-channels/${channelId}`);
      await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1);
      return { response };
    });
    expect((await deletion.response).status).toBe(200);
  });

  it("lists the receivers of events whose deliveries were deleted, by retention or with their webhook", async () => {
    const { db } = server.deps;
    const [expired, left] = [await plant(world, 5_000), await plant(world, 5_001)];
    await db
      .updateTable("events")
      .set({ agentId: foreign.agentId })
      .where("conversationId", "=", left.conversationId)
      .execute();
    const { body: webhook } = await world.account.call("POST", "/webhooks", {
      url: "https://events.example/",
      events: ["*"],
    });
    const ofLeft = db.selectFrom("events").select("id").where("conversationId", "=", left.conversationId);
    await db.updateTable("deliveries").set({ webhookId: webhook.id }).where("eventId", "in", ofLeft).execute();
    await deleteAgentEventsBefore(server.deps, world.agentId, Date.now() + 60_000);
    expect((await world.account.call("DELETE", `/webhooks/${webhook.id}`)).status).toBe(200);
    for (const { conversationId } of [expired, left]) {
      const { body } = await world.account.call("POST", "/visitors/erase", { conversationId });
      expect(body.counts).toMatchObject({ conversations: 1, deliveries: 3 });
      expect(body.receivers).toEqual(["desk@shop.example", "events.example", "hooks.example"]);
    }
    const ids = [expired, left].map(({ conversationId }) => conversationId);
    const kept = db.selectFrom("sentHosts").select("host").where("conversationId", "in", ids);
    expect(await kept.execute()).toEqual([]);
  });

  it("is repeated on a restored database with the previously exported ledger, but only with the same secret", async () => {
    const { deps } = server;
    const { userId } = await plant(world, 4_000);
    await world.account.call("POST", "/visitors/erase", { userId });
    const folder = mkdtempSync(join(tmpdir(), "foyer-ledger-"));
    const file = join(folder, "ledger.json");
    writeLedgerFile(file, await readRestoreLedger(deps.db), deps.encryption);
    expect(readFileSync(file, "utf8")).not.toContain(userId);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The backup contains the visitor and does not record the erasure.
    await deps.db.deleteFrom("erasureLedger").execute();
    const empty = await readRestoreLedger(deps.db);
    expect(() => writeLedgerFile(file, empty, deps.encryption)).toThrow(/contains erasures.*this database has none/);
    expect(() => writeLedgerFile(folder, empty, deps.encryption)).toThrow(/EISDIR/);
    expect(readdirSync(folder)).toEqual(["ledger.json"]);
    const { conversationId } = await insertPerson(
      deps.db,
      deps.encryption,
      { organizationId: world.account.organizationId, agentId: world.agentId, toolId: world.toolId, number: 4_000 },
      Date.now() - 60_000,
    );
    const other = createEncryption("another secret of the tests, long enough");
    expect(() => readLedgerFile(file, other)).toThrow(/another FOYER_SECRET/);
    const ledger = readLedgerFile(file, deps.encryption);
    const apply = { encryption: deps.encryption, erase: eraseAgain };
    expect(await applyRestoreLedger(deps, ledger, apply)).toBe(1);
    const left = deps.db.selectFrom("conversations").select("id").where("id", "=", conversationId);
    expect(await left.execute()).toEqual([]);
    expect(await readRestoreLedger(deps.db)).toEqual(ledger);
    rmSync(folder, { recursive: true });
  });

  it("does not touch the same visitor's data in another organization", async () => {
    const person = await plant(foreign, 1_000);
    const { body } = await world.account.call("POST", "/visitors/erase", { userId: person.userId });
    expect(Object.values(body.counts)).toEqual(visitorDataKinds.map(() => 0));
    const found = await foreign.account.call("GET", `/visitors/data?userId=${person.userId}`);
    expect(found.body).toMatchObject({ counts: { conversations: 1, submissions: 1 } });
  });
});

/** Every row that contains none of the tokens, by table, and the number of rows that contain one. */
async function dump({ deps: { db } }: TestServer, tokens: readonly string[]) {
  const pattern = new RegExp(tokens.join("|"));
  const others: Record<string, string[]> = {};
  let found = 0;
  // Tables in which an erasure leaves a trace.
  const changing = new Set(["agentCounters", "auditLog", "visitorErasures", "erasureLedger", "apiKeys", "planMinutes"]);
  for (const table of Object.keys({ ...erasureMap, ...tablesWithoutVisitorData })) {
    const rows = await db
      .selectFrom(table as "messages")
      .selectAll()
      .execute();
    const texts = rows.map((row) =>
      JSON.stringify(row, (_, value) =>
        value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value,
      ),
    );
    found += texts.filter((text) => pattern.test(text)).length;
    if (!changing.has(table)) others[table] = texts.filter((text) => !pattern.test(text)).sort();
  }
  return { others, found };
}

/** The tokens found in the database files, including its log and free pages. */
function findTokensInFiles(file: string, tokens: readonly string[]): string[] {
  const folder = dirname(file);
  const contents = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  return tokens.filter((token) => contents.some((content) => content.includes(token)));
}

/** The tokens found in a dump by PostgreSQL itself. The test's PostgreSQL has no `pg_dump`, which also uses COPY. */
async function findTokensInCopy({ deps: { db } }: TestServer, tokens: readonly string[]): Promise<string[]> {
  const folder = createTemporaryFolder("copy");
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o777);
  const tables = Object.keys({ ...erasureMap, ...tablesWithoutVisitorData });
  for (const table of tables) await sql`copy ${sql.table(table)} to ${sql.lit(join(folder, table))}`.execute(db);
  const contents = tables.map((table) => readFileSync(join(folder, table)));
  rmSync(folder, { recursive: true });
  expect(Buffer.concat(contents).length).toBeGreaterThan(10_000);
  return tokens.filter((token) => contents.some((content) => content.includes(token)));
}

async function createWorld(server: TestServer): Promise<World> {
  const account = await server.createAccount();
  const agentId = await createAgent(account);
  const { id: toolId } = await createTool(account, { agentId, name: "book", executionType: "mock" });
  return { account, agentId, toolId };
}
