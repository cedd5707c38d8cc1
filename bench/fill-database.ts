import { join } from "node:path";
import { sql } from "kysely";
import { openDatabase } from "../packages/server/src/db/open.ts";
import { openSqliteFile } from "../packages/server/src/db/sqlite/file.ts";
import { withStatementTimeout } from "../packages/server/src/db/statement-timeout.ts";

const FILL_TIMEOUT_MS = 120_000;

/**
 * Adds conversations of an agent, each with `messagesEach` messages, to the database of a stopped server. Their ids
 * sort before all ids that a server creates, like those of older conversations.
 */
export function fillDatabase(dataDir: string, agentId: string, conversations: number, messagesEach = 0): void {
  const database = openSqliteFile(join(dataDir, "foyer.sqlite"));
  try {
    const values = { agentId, conversations, messages: conversations * messagesEach, messagesEach };
    database.transaction(() => {
      database.prepare(insertConversations).run(values);
      if (messagesEach > 0) database.prepare(insertMessages).run(values);
      database.prepare(countConversations).run(values);
    })();
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

/** `fillDatabase` for PostgreSQL. */
export async function fillPostgres(url: string, agentId: string, conversations: number, messagesEach: number) {
  const { db } = openDatabase({ kind: "postgres", url }, () => {});
  const at = sql.lit(instant);
  try {
    await withStatementTimeout(FILL_TIMEOUT_MS, async () => {
      await sql`insert into conversations
          (id, "organizationId", "agentId", title, "messageCount", "createdAt", "updatedAt")
        select 'conv_' || lpad(n::text, 26, '0'), (select "organizationId" from agents where id = ${agentId}), ${agentId},
          'What are your opening hours on public holidays, and can I', ${sql.lit(messagesEach)}, ${at} + n, ${at} + n
        from generate_series(0, ${sql.lit(conversations - 1)}) as n`.execute(db);
      await sql`insert into messages
          (id, "conversationId", position, role, content, "stopReason", "createdAt", "updatedAt")
        select 'msg_' || lpad(n::text, 26, '0'), 'conv_' || lpad((n / ${sql.lit(messagesEach)})::text, 26, '0'),
          n % ${sql.lit(messagesEach)}, case n % 2 when 0 then 'user' else 'assistant' end,
          repeat('x', case n % 2 when 0 then 70 else 800 end), case n % 2 when 0 then null else 'end_turn' end,
          ${at} + n, ${at} + n
        from generate_series(0, ${sql.lit(conversations * messagesEach - 1)}) as n`.execute(db);
      await sql`analyze conversations, messages`.execute(db);
    });
  } finally {
    await db.destroy();
  }
}

/** Makes the visitors of all conversations wait for a person. */
export function waitForPerson(dataDir: string): void {
  const database = openSqliteFile(join(dataDir, "foyer.sqlite"));
  try {
    database.exec(waiting);
    database.exec(handoffs);
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

const instant = 1_700_000_000_000;

const insertConversations = `
  insert into conversations (id, "organizationId", "agentId", title, "messageCount", "createdAt", "updatedAt")
  with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < $conversations)
  select printf('conv_%026d', n), (select "organizationId" from agents where id = $agentId), $agentId,
    'What are your opening hours on public holidays, and can I', $messagesEach, ${instant} + n, ${instant} + n
  from numbers`;

const insertMessages = `
  insert into messages (id, "conversationId", position, role, content, "stopReason", "createdAt", "updatedAt")
  with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < $messages)
  select printf('msg_%026d', n), printf('conv_%026d', n / $messagesEach), n % $messagesEach,
    iif(n % 2 = 0, 'user', 'assistant'), printf('%.*c', iif(n % 2 = 0, 70, 800), 'x'),
    iif(n % 2 = 0, null, 'end_turn'), ${instant} + n, ${instant} + n
  from numbers`;

const countConversations = `
  update "agentCounters" set conversations = conversations + $conversations where "agentId" = $agentId`;

const waiting = `
  update conversations set handler = 'waiting', epoch = 1, "waitingSince" = ${instant}, "changedAt" = ${instant}`;

const handoffs = `
  insert into handoffs (id, "organizationId", "agentId", "conversationId", cause, reason, summary, "requestedAt", "promisedAt")
  select 'hnd_' || substr(id, 6), "organizationId", "agentId", id, 'visitor', 'The invoice is wrong', 'Asks for a refund',
    ${instant}, ${instant}
  from conversations`;
