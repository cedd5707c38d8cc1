import { type RawBuilder, sql } from "kysely";
import type { DatabaseKind } from "../../packages/server/src/db/database-kind.ts";
import type { Db } from "../../packages/server/src/db/open.ts";
import { withStatementTimeout } from "../../packages/server/src/db/statement-timeout.ts";
import { newId } from "../../packages/server/src/ids.ts";
import { insertConversation } from "../conversation-seed.ts";

/** The amount of stored data of each kind. */
export type Amounts = {
  conversations: number;
  submissions: number;
  filesOf5MiB: number;
  triggerEvents: number;
  /** messages of one conversation that predates the size limit: 30 KB each */
  oldMessages: number;
  agents: number;
  secrets: number;
  attempts: number;
  /** 1 MB of text and a 1 MB original each, in 10 passages */
  documents: number;
};

export const longAmounts: Amounts = {
  conversations: 40_000,
  submissions: 4_000,
  filesOf5MiB: 40,
  triggerEvents: 300_000,
  oldMessages: 2_000,
  agents: 5_000,
  secrets: 2_000,
  attempts: 500,
  documents: 200,
};

export const shortAmounts: Amounts = {
  conversations: 500,
  submissions: 200,
  filesOf5MiB: 2,
  triggerEvents: 3_000,
  oldMessages: 400,
  agents: 500,
  secrets: 200,
  attempts: 200,
  documents: 20,
};

export type Owner = { organizationId: string; agentId: string; toolId: string };

const NOW = 1_780_000_000_000;
const MIB = 1024 * 1024;
const STATEMENT_MS = 600_000;

/** Fills a server's database and returns the ids of the large resources. */
export async function fill(db: Db, kind: DatabaseKind, owner: Owner, amounts: Amounts) {
  const { text, idOf } = sqlFor(kind);
  await withStatementTimeout(STATEMENT_MS, async () => {
    if (kind === "postgres") await storeUncompressed(db);
    await fillConversations(db, owner, amounts, { text, idOf });
    await fillSubmissions(db, owner, amounts, { text, idOf });
    await fillEvents(db, owner, amounts);
    await fillSettings(db, owner, amounts, { text, idOf });
    await fillDocuments(db, kind, owner, amounts);
  });
  return {
    nearlyFull: await insertNearlyFull(db, owner),
    old: await insertOld(db, owner, amounts.oldMessages),
    attempted: await insertAttempts(db, amounts.attempts),
  };
}

function sqlFor(kind: DatabaseKind): Sql {
  return {
    text: (bytes) => (kind === "sqlite" ? sql`printf('%.*c', ${bytes}, 'x')` : sql`repeat('x', ${bytes})`),
    idOf: (prefix) =>
      kind === "sqlite"
        ? sql`printf('${sql.raw(prefix)}_%026d', i)`
        : sql`'${sql.raw(prefix)}_' || lpad(i::text, 26, '0')`,
  };
}

type Sql = { text(bytes: number): RawBuilder<unknown>; idOf(prefix: string): RawBuilder<unknown> };

/** PostgreSQL would compress a repeated letter to a few bytes. */
async function storeUncompressed(db: Db) {
  for (const [table, column] of [
    ["messages", "content"],
    ["submissions", "formData"],
    ["submissionFiles", "content"],
    ["documentTexts", "text"],
  ] as const) {
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} set storage external`.execute(db);
  }
}

const numbers = (count: number) =>
  sql`with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i + 1 < ${sql.lit(count)})`;

/** Ten messages of 1 KB each. */
async function fillConversations(db: Db, { organizationId, agentId }: Owner, amounts: Amounts, { text, idOf }: Sql) {
  const count = amounts.conversations;
  await sql`insert into conversations
    (id, "organizationId", "agentId", title, "messageCount", "textBytes", "createdAt", "updatedAt")
    ${numbers(count)} select ${idOf("conv")}, ${organizationId}, ${agentId}, 'A question', 10, 10240,
    ${sql.lit(NOW)} + i, ${sql.lit(NOW)} + i from numbers`.execute(db);
  for (let part = 0; part < 10; part++) {
    await sql`insert into messages
      (id, "conversationId", position, role, content, "stopReason", "createdAt", "updatedAt")
      ${numbers(count)} select replace(${idOf("msg")}, 'msg_0', ${`msg_${part}`}), ${idOf("conv")}, ${sql.lit(part)},
      ${part % 2 === 0 ? "user" : "assistant"}, ${text(1_024)}, ${part % 2 === 0 ? null : "end_turn"},
      ${sql.lit(NOW)} + i, ${sql.lit(NOW)} + i from numbers`.execute(db);
  }
  await sql`update "agentCounters" set conversations = conversations + ${sql.lit(count)}
    where "agentId" = ${agentId}`.execute(db);
}

/** 95 KB each, close to the limit; some with a file. */
async function fillSubmissions(db: Db, owner: Owner, { submissions, filesOf5MiB }: Amounts, { text, idOf }: Sql) {
  const { organizationId, agentId, toolId } = owner;
  for (let from = 0; from < submissions; from += 500) {
    await sql`insert into submissions
      (id, "organizationId", "agentId", "toolId", "toolName", "executionMode", "formData", "fieldsCompleted",
       "formInstanceId", status, "createdAt", "updatedAt")
      ${numbers(submissions)} select ${idOf("sub")}, ${organizationId}, ${agentId}, ${toolId}, 'contact', 'client',
      '{"name":"Ada","text":"' || ${text(95_000)} || '"}', '["name"]', ${idOf("sub")}, 'webhook_failed',
      ${sql.lit(NOW)} + i, ${sql.lit(NOW)} + i from numbers
      where i >= ${sql.lit(from)} and i < ${sql.lit(from + 500)}`.execute(db);
  }
  const content = Buffer.alloc(5 * MIB, "x");
  const ids = await db
    .selectFrom("submissions")
    .select("id")
    .orderBy("id")
    .limit(Math.ceil(filesOf5MiB / 4))
    .execute();
  for (const { id: submissionId } of ids) {
    for (const field of ["a", "b", "c", "d"]) {
      const file = { submissionId, field, prefix: "data:,", mediaType: "text/plain", size: content.length };
      await db
        .insertInto("submissionFiles")
        .values({ ...file, content, name: null })
        .execute();
    }
  }
}

async function fillEvents(db: Db, { agentId }: Owner, { triggerEvents }: Amounts) {
  await sql`insert into "triggerEvents"
    ("agentId", "triggerName", "triggerType", "actionType", "eventType", "sessionId", "pagePath", day, "createdAt")
    ${numbers(triggerEvents)} select ${agentId}, 'Greeting', 'page_view', 'show_bubble', 'fired',
    cast(i as varchar(20)), '/pricing/a/rather/long/path', '2026-05-28', ${sql.lit(NOW)} + i from numbers`.execute(db);
}

async function fillSettings(db: Db, { organizationId, agentId }: Owner, amounts: Amounts, { text, idOf }: Sql) {
  await sql`insert into agents
    (id, "organizationId", name, slug, model, "systemPrompt", temperature, widget, "allowedOrigins",
     "allowedImageHosts", "requireIdentity", "identitySecret", "createdAt", "updatedAt")
    ${numbers(amounts.agents)} select ${idOf("agent")}, ${organizationId}, 'Agent', ${idOf("agent")}, model,
    ${text(2_000)}, temperature, widget, "allowedOrigins", "allowedImageHosts", 0, "identitySecret",
    ${sql.lit(NOW)}, ${sql.lit(NOW)} from numbers, agents where agents.id = ${agentId}`.execute(db);
  await sql`insert into secrets ("organizationId", name, value, hosts, "createdAt", "updatedAt")
    ${numbers(amounts.secrets)} select ${organizationId}, ${idOf("SECRET")}, ${text(200)},
    '["api.example.com"]', ${sql.lit(NOW)}, ${sql.lit(NOW)} from numbers`.execute(db);
  // The tools have 30 KB each, 6 MB in total.
  await sql`insert into tools
    (id, "organizationId", "agentId", name, description, "executionType", "inputSchema", "isEnabled", "mockResponse",
     "createdAt", "updatedAt")
    ${numbers(200)} select ${idOf("tool")}, ${organizationId}, ${agentId}, ${idOf("tool")}, 'Finds', 'mock',
    '{"type":"object","properties":{}}', 0, ${text(30_000)}, ${sql.lit(NOW)}, ${sql.lit(NOW)} from numbers`.execute(db);
}

/** Documents of one site. Their jobs are due in the far future, so that no worker processes them. */
export async function fillDocuments(
  db: Db,
  kind: DatabaseKind,
  { organizationId, agentId }: Omit<Owner, "toolId">,
  { documents }: Pick<Amounts, "documents">,
): Promise<void> {
  const { text, idOf } = sqlFor(kind);
  const later = sql.lit(NOW * 2);
  const source = "source_0";
  await sql`insert into sources
    (id, "organizationId", "agentId", url, include, exclude, schedule, "maxPages", state, sync, fence, "createdAt",
     "updatedAt")
    values (${source}, ${organizationId}, ${agentId}, 'https://example.com', '[]', '[]', 'manual', 1000, 'idle', 1, 1,
     ${sql.lit(NOW)}, ${sql.lit(NOW)})`.execute(db);
  await sql`insert into "documentFiles" (id, "organizationId", "agentId", "createdAt")
    ${numbers(documents)} select ${idOf("file")}, ${organizationId}, ${agentId}, ${sql.lit(NOW)} from numbers`.execute(
    db,
  );
  await sql`insert into documents
    (id, "organizationId", "agentId", "sourceId", kind, title, "mimeType", bytes, "fileId", "contentHash", state,
     "progressDone", "progressTotal", version, "readyVersion", chunks, characters, "isEnabled", citation, "createdAt",
     "updatedAt")
    ${numbers(documents)} select ${idOf("doc")}, ${organizationId}, ${agentId}, ${source}, 'page', 'A page',
    'text/plain', 1000000, ${idOf("file")}, ${idOf("doc")}, 'ready', 0, 0, 1, 1, 10, 1000000, 1, 'link', ${sql.lit(NOW)},
    ${sql.lit(NOW)} from numbers`.execute(db);
  await sql`insert into "documentJobs"
    ("documentId", "organizationId", "agentId", version, attempts, "dueAt", fence)
    ${numbers(documents)} select ${idOf("doc")}, ${organizationId}, ${agentId}, 1, 0, ${later}, 1 from numbers`.execute(
    db,
  );
  for (const { id: documentId } of await db.selectFrom("documents").select("id").execute()) {
    await sql`insert into "documentTexts" ("documentId", version, start, text)
      ${numbers(16)} select ${documentId}, 1, i * 62500, ${text(62_500)} from numbers`.execute(db);
    await sql`insert into "sourcePages" ("sourceId", url, "documentId", state, sync, misses)
      values (${source}, ${`https://example.com/${documentId}`}, ${documentId}, 'read', 1, 0)`.execute(db);
    await sql`insert into "documentChunks"
      ("agentId", number, "organizationId", "documentId", version, ordinal, text)
      ${numbers(10)} select ${agentId}, (select count(*) from "documentChunks") + i, ${organizationId}, ${documentId}, 1,
      i, ${text(1_000)} from numbers`.execute(db);
  }
  const content = Buffer.alloc(250_000, "x");
  for (const { id: fileId } of await db.selectFrom("documentFiles").select("id").execute()) {
    for (let number = 0; number < 4; number++) {
      await db.insertInto("documentFileParts").values({ fileId, number, content }).execute();
    }
  }
  await sql`insert into "agentIndexes" ("agentId", "organizationId", "nextNumber")
    values (${agentId}, ${organizationId}, ${sql.lit(documents * 10)})`.execute(db);
}

/** Inserts a conversation with 1.9 MiB of text in 1,990 messages, and 7.6 MiB of tool results. */
async function insertNearlyFull(db: Db, { organizationId, agentId }: Owner): Promise<string> {
  const result = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, index) => [`field_${index}`, `value "${index}"`]),
  );
  const forModel = "x".repeat(3.8 * MIB - JSON.stringify(result).length);
  const call = { type: "tool", id: "call_1", name: "find", toolId: null, executionType: "mock", input: {} };
  const outcome = { result, isError: false, displayConfig: null, display: null, forModel };
  const large = {
    content: "Found.",
    pieces: [
      { ...call, result: outcome },
      { type: "text", text: "Found." },
    ],
  };
  const plain = { content: "x".repeat(990) };
  const sayings = Array.from({ length: 1_980 }, (_, index) => (index === 1 || index === 1_001 ? large : plain));
  const sizes = { textBytes: 1_978 * 990, toolBytes: Math.ceil(7.6 * MIB) };
  return insertConversation(db, { organizationId, agentId }, { ...sizes, hasOwner: 0 }, sayings);
}

async function insertOld(db: Db, { organizationId, agentId }: Owner, messages: number): Promise<string> {
  const sayings = Array.from({ length: messages }, () => ({ content: "x".repeat(30_000) }));
  return insertConversation(db, { organizationId, agentId }, { textBytes: messages * 30_000 }, sayings);
}

/** A submission that was retried many times. */
async function insertAttempts(db: Db, attempts: number): Promise<string> {
  const { id: submissionId } = await db
    .selectFrom("submissions")
    .select("id")
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  const id = newId("delivery");
  await db
    .insertInto("deliveries")
    .values({
      id,
      kind: "submission",
      submissionId,
      position: 0,
      purpose: "webhook",
      type: "webhook",
      target: JSON.stringify({ url: "https://hooks.example.com" }),
      host: "hooks.example.com",
      state: "failed",
      attempts,
      attemptsBefore: 0,
      dueAt: NOW,
      fence: 0,
      createdAt: NOW,
    })
    .execute();
  for (let number = 1; number <= attempts; number++) {
    const attempt = { deliveryId: id, number, startedAt: NOW, durationMs: 100, status: 500 };
    await db
      .insertInto("deliveryAttempts")
      .values({ ...attempt, error: "HTTP 500", detail: null, response: "x".repeat(16_000) })
      .execute();
  }
  return submissionId;
}
