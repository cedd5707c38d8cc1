import { join } from "node:path";
import { openSqliteFile } from "../packages/server/src/db/sqlite/file.ts";

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
