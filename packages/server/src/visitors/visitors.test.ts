import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSqlite, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../test/session-client.ts";
import { insertPerson } from "../../../../test/visitor-seed.ts";
import { createConversationToken } from "../auth/conversation-token.ts";
import { createDeps } from "../create-deps.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { backUp, deletePreviousData } from "../db/sqlite/backup.ts";
import { deleteExpiredData } from "../expired-data.ts";
import { restoreBackup, verifyBackup } from "../restore-backup.ts";
import { eraseAgain } from "./erase-again.ts";

const DAY_MS = 86_400_000;

let database: TestDatabase;
let server: TestServer;
let account: Awaited<ReturnType<TestServer["createAccount"]>>;
let agentId: string;
let toolId: string;
let people = 0;
beforeAll(async () => {
  database = await createSqlite();
  server = await startServer({ database });
  account = await server.createAccount();
  agentId = await createAgent(account);
  toolId = (await createTool(account, { agentId, name: "book", executionType: "mock" })).id;
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

const plant = (at?: number) => {
  const place = { organizationId: account.organizationId, agentId, toolId, number: people++ };
  return insertPerson(server.deps.db, server.deps.encryption, place, at);
};
const has = async (id: string) => (await account.call("GET", `/conversations/${id}`)).status === 200;
const isStored = async (submissionId: string) => {
  const found = server.deps.db.selectFrom("submissions").select("id").where("id", "=", submissionId);
  return (await found.executeTakeFirst()) !== undefined;
};

it("a visitor's data is exported as a ZIP file with one JSON file per kind, and the submitted files", async () => {
  const person = await plant();
  await account.call("POST", `/conversations/${person.conversationId}/tags`, { name: "refund" });
  const url = `/visitors/export?userId=${person.userId}`;
  const response = await server.app.inject({ url, headers: account.headers });
  expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "application/zip"]);
  const files = unzipSync(response.rawPayload);
  const read = (name: string) => JSON.parse(strFromU8(files[name] ?? expect.fail(`${name} is missing`)));
  expect(read("conversations.json")).toMatchObject([
    {
      id: person.conversationId,
      sessionId: person.sessionId,
      messages: [{ role: "user" }, { role: "assistant" }],
      tags: [{ name: "refund" }],
    },
  ]);
  expect(read("submissions.json")).toMatchObject([{ id: person.submissionId, formData: { email: person.email } }]);
  // One event of the conversation, and one about the submission.
  expect(read("events.json")).toHaveLength(2);
  expect(read("deliveries.json")).toMatchObject([
    { host: "events.example", state: "delivered", attempts: [{ number: 1, response: expect.any(String) }] },
  ]);
  for (const name of ["handoffs", "notes", "unanswered-questions", "trigger-events", "token-counters"]) {
    expect(read(`${name}.json`), name).toHaveLength(1);
  }
  expect(Object.keys(files).filter((name) => name.startsWith(`files/${person.submissionId}/photo-`))).toHaveLength(1);
  expect((await account.call("GET", "/visitors/data?userId=a&email=b")).status).toBe(400);
});

it("a visitor's data is found, exported and erased by owners and admins only, in their own organization", async () => {
  const person = await plant();
  const member = await createMember(server, account.organizationId, "member");
  const browser = await signedInBrowser(server, member.email);
  const stranger = await server.createAccount();
  const find = ["GET", `/visitors/data?userId=${person.userId}`] as const;
  const download = ["GET", `/visitors/export?userId=${person.userId}`] as const;
  const erase = ["POST", "/visitors/erase", { userId: person.userId }] as const;
  const answers = [await browser.call(...find), await browser.call(...download), await browser.call(...erase)];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect((await stranger.call(...find)).body.counts).toMatchObject({ conversations: 0 });
  await stranger.call(...erase);
  expect(await has(person.conversationId)).toBe(true);
});

it("visitors delete their own conversation with its token, and their submissions only on request", async () => {
  const [kept, all] = [await plant(), await plant()];
  const remove = (id: string, query: string, of = id) =>
    server.app.inject({
      method: "DELETE",
      url: `/conversations/${id}${query}`,
      headers: { authorization: `Bearer ${createConversationToken(server.deps.encryption, of)}` },
    });
  expect((await remove(kept.conversationId, "", all.conversationId)).statusCode).toBe(401);
  expect((await remove(kept.conversationId, "")).statusCode).toBe(200);
  expect((await remove(all.conversationId, "?submissions=true")).statusCode).toBe(200);
  expect([await has(kept.conversationId), await has(all.conversationId)]).toEqual([false, false]);
  expect(await isStored(kept.submissionId)).toBe(true);
  expect(await isStored(all.submissionId)).toBe(false);
});

it("an agent with a consentText replies once the visitor has given consent, and stores the consent", async () => {
  const id = await createAgent(account, { widget: { consentText: "I agree to be answered by an AI." } });
  const chat = (more: object) => {
    const payload = { agentId: id, messages: [{ role: "user", content: "Hello" }], ...more };
    return server.app.inject({ method: "POST", url: "/chat", payload });
  };
  const refused = await chat({});
  expect([refused.statusCode, refused.json().error.code]).toEqual([403, "CONSENT_REQUIRED"]);
  expect((await chat({ consent: false })).statusCode).toBe(403);
  const agreed = await chat({ consent: true });
  expect(agreed.statusCode).toBe(200);
  const conversationId = /conv_\w+/.exec(agreed.body)?.[0] ?? "";
  const { body } = await account.call("GET", `/conversations/${conversationId}`);
  expect(body.data.consent).toEqual({ at: expect.any(String), text: "I agree to be answered by an AI." });
  expect((await chat({ conversationId })).statusCode).toBe(200);
});

it("data is kept as long as each agent's retention allows", async () => {
  const old = await plant(Date.now() - 10 * DAY_MS);
  const recent = await plant();
  const { db } = server.deps;
  await deleteExpiredData(server.deps, Date.now());
  expect(await has(old.conversationId)).toBe(true);
  const retention = { conversations: 7, files: 7, events: 7 };
  const { body } = await account.call("PATCH", `/agents/${agentId}`, { retention });
  expect(body.data.retention).toEqual({ ...retention, submissions: null });
  const reported = db.selectFrom("events").select("id").where("submissionId", "=", recent.submissionId);
  expect(await reported.execute()).toHaveLength(1);
  // A submission's age comes from its id, so these are as old as the process.
  await deleteExpiredData(server.deps, Date.now() + 8 * DAY_MS - 1_000);
  expect([await has(old.conversationId), await has(recent.conversationId)]).toEqual([false, false]);
  const files = db.selectFrom("submissionFiles").select("submissionId").where("submissionId", "=", recent.submissionId);
  expect(await files.execute()).toEqual([]);
  expect(await isStored(recent.submissionId)).toBe(true);
  expect(await reported.execute()).toEqual([]);
});

it("a backup is not restored when the current data cannot show who has been erased since", async () => {
  const { deps } = server;
  const folder = mkdtempSync(join(tmpdir(), "foyer-broken-"));
  const file = join(folder, "foyer.sqlite");
  const broken = openDatabase({ kind: "sqlite", file }, () => {});
  await sql`create view "erasureLedger" as select * from missing`.execute(broken.db);
  const before = { db: broken.db, encryption: deps.encryption };
  const open = () => {
    throw new Error("nothing must be restored");
  };
  const restoring = restoreBackup(before, { config: deps.config, file, open, eraseAgain }, join(folder, "backup"));
  await expect(restoring).rejects.toThrow(/cannot be read .* erased since the backup.* move .*foyer\.sqlite-wal/);
  await broken.db.destroy();
  rmSync(folder, { recursive: true });
});

it.each([
  [
    "of a newer version",
    "insert into migrations (name, \"ranAt\") values ('9999-newer', 1)",
    /Start the newer version/,
  ],
  ["with a missing table", "drop table agents", /no such table/],
  [
    "with rows that refer to missing rows",
    `pragma foreign_keys = off; insert into "agentCounters" ("agentId", conversations) values ('agent_none', 0)`,
    /1 rows that refer to missing rows/,
  ],
])("a backup %s is refused and changes nothing", async (_, change, reason) => {
  const { deps } = server;
  const folder = mkdtempSync(join(tmpdir(), "foyer-unusable-"));
  const dataDir = join(folder, "data");
  mkdirSync(dataDir);
  const file = join(dataDir, "foyer.sqlite");
  const config = { ...deps.config, dataDir, database: { kind: "sqlite" as const, file } };
  const open = (config: typeof deps.config) => createDeps(config, deps.log);
  const current = open(config);
  await migrate({ db: current.db, kind: "sqlite" });
  await backUp(file, dataDir, join(folder, "backup"));
  const backup = openDatabase({ kind: "sqlite", file: join(folder, "backup/foyer.sqlite") }, () => {});
  for (const statement of change.split("; ")) await sql.raw(statement).execute(backup.db);
  await backup.db.destroy();
  const restoring = restoreBackup(current, { config, file, open, eraseAgain }, join(folder, "backup"));
  await expect(restoring).rejects.toThrow(reason);
  await expect(restoring).rejects.toThrow(/^The backup was not restored, and the current data is unchanged\. /);
  await expect(migrate({ db: current.db, kind: "sqlite" })).resolves.not.toThrow();
  await current.close();
  expect(readdirSync(dataDir).toSorted()).toEqual(["foyer.sqlite"]);
  rmSync(folder, { recursive: true });
});

it("data that a restore replaced is deleted after 30 days, because it contains visitors who are erased later", async () => {
  const folder = mkdtempSync(join(tmpdir(), "foyer-previous-"));
  const replaced = "before-restore-2026-01-01T09-30-02-000Z";
  const others = ["backups", "before-restore-2026-01-01", `${replaced}-keep`];
  for (const name of [...others, replaced, "restoring-a1B2c3"]) mkdirSync(join(folder, name));
  expect(await deletePreviousData(folder, Date.now() + 29 * DAY_MS)).toBe(0);
  expect(await deletePreviousData(folder, Date.now() + 31 * DAY_MS)).toBe(2);
  expect(readdirSync(folder).toSorted()).toEqual(others);
  expect(await deletePreviousData(join(folder, "missing"), Date.now())).toBe(0);
  rmSync(folder, { recursive: true });
});

it("a restored backup does not bring erased visitors back", async () => {
  const [byUser, byConversation, kept] = [await plant(), await plant(), await plant()];
  const [byAddress, byLeftAddress, bySession] = [await plant(), await plant(), await plant()];
  const { deps } = server;
  const verified = { id: "u-1", email: "proven@example.com", name: null, claims: {} };
  await deps.db
    .updateTable("submissions")
    .set({ conversationId: null, formData: "{}", verifiedVisitor: JSON.stringify(verified) })
    .where("id", "=", byAddress.submissionId)
    .execute();
  await account.call("DELETE", `/conversations/${bySession.conversationId}`);
  const folder = mkdtempSync(join(tmpdir(), "foyer-backup-"));
  const open = (config: typeof deps.config) => createDeps(config, deps.log);
  const file = database.address.kind === "sqlite" ? database.address.file : "";
  await backUp(file, deps.config.dataDir, folder);
  await account.call("POST", "/visitors/erase", { userId: byUser.userId });
  await account.call("POST", "/visitors/erase", { email: verified.email });
  await account.call("POST", "/visitors/erase", { sessionId: bySession.sessionId });
  await account.call("POST", "/visitors/erase", { email: byLeftAddress.leftEmail });
  await account.call("DELETE", `/conversations/${byConversation.conversationId}`);
  expect(await verifyBackup({ config: deps.config, open }, folder)).toMatch(/^\d+ agents and \d+ conversations$/);
  const { erased, kept: previous } = await restoreBackup(deps, { config: deps.config, file, open, eraseAgain }, folder);
  expect(erased).toBeGreaterThanOrEqual(5);
  // The folder's name contains the date by which it is found 30 days later.
  expect(await deletePreviousData(dirname(previous), Date.now() + 31 * DAY_MS)).toBe(1);
  expect(existsSync(previous)).toBe(false);
  const people = [byUser, byConversation, byLeftAddress, kept];
  const conversations = await Promise.all(people.map((one) => has(one.conversationId)));
  expect(conversations).toEqual([false, false, false, true]);
  expect(await isStored(byUser.submissionId)).toBe(false);
  expect(await isStored(byAddress.submissionId)).toBe(false);
  expect(await isStored(byConversation.submissionId)).toBe(true);
  const events = deps.db.selectFrom("triggerEvents").select("sessionId").where("sessionId", "is not", null);
  const sessions = (await events.execute()).map(({ sessionId }) => sessionId);
  expect(sessions).toContain(kept.sessionId);
  expect(sessions).not.toContain(bySession.sessionId);
  rmSync(folder, { recursive: true });
});

it("a restored backup continues the event feed after every cursor that its readers have", async () => {
  const { deps } = server;
  const folder = mkdtempSync(join(tmpdir(), "foyer-feed-"));
  const file = database.address.kind === "sqlite" ? database.address.file : "";
  const open = (config: typeof deps.config) => createDeps(config, deps.log);
  const feed = async (after: string) => (await account.call("GET", `/events?limit=1000&after=${after}`)).body;
  await account.call("PUT", "/events/feed", { isEnabled: true });
  await feed("0");
  await backUp(file, deps.config.dataDir, folder);
  for (let count = 0; count < 3; count++) await plant();
  const { cursor } = await feed("0");
  await restoreBackup(deps, { config: deps.config, file, open, eraseAgain }, folder);
  const { conversationId } = await plant();
  const { events } = await feed(cursor);
  expect(events).toHaveLength(2);
  expect(events).toContainEqual(expect.objectContaining({ conversationId }));
  rmSync(folder, { recursive: true });
});
