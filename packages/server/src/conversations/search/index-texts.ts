import { setTimeout as wait } from "node:timers/promises";
import type { IndexConnection } from "../../documents/search/index-connection.ts";
import { keysOf, toToken } from "./text-keys.ts";

/** The number of agents, and of conversations of one, that are read at a time. */
const AGENTS = 100;
const CONVERSATIONS = 20;
/** The bytes of text that are indexed in one transaction. On SQLite, other writers wait for it a few milliseconds. */
const BATCH_BYTES = 64 * 1024;
/** A running reply updates its row every few seconds, so this one has ended. */
const SILENT_MS = 60_000;

type Agent = { id: string; organizationId: string; updatedAt: number; conversationId: string };
type Due = { id: string; updatedAt: number; title: string; bytes: number };
type Text = { conversationId: string; content: string; isRunning: boolean | 0 | 1 };
type Options = {
  /** Conversations with a message since then wait (milliseconds), because most get further messages soon. */
  before: number;
  isStopped(): boolean;
};

/**
 * Indexes the conversations of all agents that have changed since they were indexed, in the order of their latest
 * activity. It pauses as long as it works, and works in small transactions.
 */
export async function indexTexts(connection: IndexConnection, { before, isStopped }: Options): Promise<void> {
  for (let last = ""; !isStopped(); ) {
    const agents = await findAgents(connection, last, before);
    for (const agent of agents) {
      await connection.alone(`conversation search ${agent.id}`, () =>
        indexAgent(connection, agent.id, { before, isStopped }),
      );
    }
    if (agents.length < AGENTS) return;
    last = agents.at(-1)?.id ?? "";
  }
}

const readAgents = `select a.id, a."organizationId", coalesce(p."updatedAt", 0) as "updatedAt",
    coalesce(p."conversationId", '') as "conversationId"
  from agents a left join "searchProgress" p on p."agentId" = a.id`;

function findAgents(connection: IndexConnection, after: string, before: number): Promise<Agent[]> {
  return connection.all<Agent>(
    `${readAgents} where a.id > ? and exists (select 1 from conversations c where c."agentId" = a.id
       and c."updatedAt" < ? and (c."updatedAt", c.id) > (coalesce(p."updatedAt", 0), coalesce(p."conversationId", '')))
     order by a.id limit ${AGENTS}`,
    [after, before],
  );
}

async function indexAgent(connection: IndexConnection, agentId: string, { before, isStopped }: Options): Promise<void> {
  while (!isStopped()) {
    const startedAt = performance.now();
    // Read again, because another process may have indexed some of them until now.
    const [agent] = await connection.all<Agent>(`${readAgents} where a.id = ?`, [agentId]);
    if (!agent || !(await indexNext(connection, agent, before))) return;
    await wait(performance.now() - startedAt);
  }
}

/** @returns false when there is nothing to index now */
async function indexNext(connection: IndexConnection, agent: Agent, before: number): Promise<boolean> {
  const due = takeBatch(
    await connection.all<Due>(
      `select id, "updatedAt", title, "textBytes" as bytes from conversations where "agentId" = ? and "updatedAt" < ?
         and ("updatedAt", id) > (?, ?) order by "updatedAt", id limit ${CONVERSATIONS}`,
      [agent.id, before, Number(agent.updatedAt), agent.conversationId],
    ),
  );
  if (due.length === 0) return false;
  const texts = await connection.all<Text>(
    `select "conversationId", content, case when "stopReason" is null and role = 'assistant' and "updatedAt" > ?
       then 1 else 0 end as "isRunning"
     from messages where "conversationId" in (${due.map(() => "?").join(", ")})`,
    [Date.now() - SILENT_MS, ...due.map(({ id }) => id)],
  );
  const running = new Set(texts.filter(({ isRunning }) => Number(isRunning) === 1).map((text) => text.conversationId));
  // Conversations are indexed in order, so the next ones wait for a reply that is running.
  const end = due.findIndex(({ id }) => running.has(id));
  const ready = end === -1 ? due : due.slice(0, end);
  const last = ready.at(-1);
  if (!last) return false;
  const contents = Map.groupBy(texts, ({ conversationId }) => conversationId);
  const entries = ready.map(({ id, title }) => {
    const text = [title, ...(contents.get(id) ?? []).map(({ content }) => content)].join("\n");
    return { id, keys: keysOf(agent.organizationId, text) };
  });
  await connection.writing(async () => {
    for (const { id, keys } of entries) await store(connection, { id, organizationId: agent.organizationId, keys });
    await connection.all(
      `insert into "searchProgress" ("agentId", "organizationId", "updatedAt", "conversationId")
       select id, "organizationId", ${bigint(connection)}, ? from agents where id = ?
       on conflict ("agentId") do update set "updatedAt" = excluded."updatedAt",
         "conversationId" = excluded."conversationId"`,
      [Number(last.updatedAt), last.id, agent.id],
    );
  });
  return true;
}

const bigint = ({ kind }: IndexConnection) => (kind === "sqlite" ? "?" : "?::bigint");

/** As many conversations as fit into a batch, at least one. */
function takeBatch(due: readonly Due[]): readonly Due[] {
  let bytes = 0;
  for (const [at, row] of due.entries()) {
    bytes += Number(row.bytes);
    if (bytes > BATCH_BYTES && at > 0) return due.slice(0, at);
  }
  return due;
}

type Entry = { id: string; organizationId: string; keys: ReadonlySet<number> };

/** Replaces the keys of a conversation, unless it has been deleted in the meantime. */
async function store(connection: IndexConnection, { id, organizationId, keys }: Entry): Promise<void> {
  if (connection.kind === "postgres") {
    await connection.all(
      `insert into "searchTexts" ("conversationId", "organizationId", keys)
       select id, "organizationId", ?::integer[] from conversations where id = ? and "organizationId" = ? for key share
       on conflict ("conversationId") do update set keys = excluded.keys`,
      [`{${[...keys].join(",")}}`, id, organizationId],
    );
    return;
  }
  await connection.all(`delete from "searchTexts" where "conversationId" = ? and "organizationId" = ?`, [
    id,
    organizationId,
  ]);
  const [added] = await connection.all<{ number: number }>(
    `insert into "searchTexts" ("conversationId", "organizationId")
     select id, "organizationId" from conversations where id = ? and "organizationId" = ? returning number`,
    [id, organizationId],
  );
  if (!added) return;
  const tokens = Array.from(keys, toToken).join(" ");
  await connection.all(`insert into "searchKeys" (rowid, keys) values (?, ?)`, [added.number, tokens]);
}
