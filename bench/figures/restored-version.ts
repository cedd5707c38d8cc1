import { setTimeout as wait } from "node:timers/promises";
import { withClient } from "../../test/databases.ts";
import { startPostgres } from "../../test/postgres-server.ts";
import { ms, type Row } from "../figure.ts";
import { authorized, type Foyer, startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { quantile } from "../rounds.ts";

const RESTORES = 100;
const POLL_MS = 10;
const LIMIT_MS = 1_000;
const json = { "content-type": "application/json" };

/** From the response to the restore, in milliseconds. A reply is counted as late when it names another version. */
type Delays = { lateReplies: number; pages: number[] };

/**
 * How long visitors still get the version before a restored one: in replies, which begin when the restore is answered,
 * and in what pages load.
 */
export async function measureRestoredVersion(): Promise<Row[]> {
  return [...(await inOneProcess()), ...(await acrossTwo())];
}

async function inOneProcess(): Promise<Row[]> {
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path });
  return rows("in the process that restored it", await measureDelays(foyer, foyer), 0);
}

async function acrossTwo(): Promise<Row[]> {
  const postgres = await startPostgres();
  try {
    await withClient(postgres.url, (client) => client.query("create database restores"));
    const databaseUrl = new URL(postgres.url);
    databaseUrl.pathname = "/restores";
    using folder = temporaryFolder();
    await using here = await startFoyer({ dataDir: folder.path, databaseUrl: databaseUrl.href });
    await using there = await startFoyer({ dataDir: folder.path, databaseUrl: databaseUrl.href });
    return rows("in another process", await measureDelays(here, there), LIMIT_MS);
  } finally {
    await postgres.stop();
  }
}

function rows(where: string, { lateReplies, pages }: Delays, limit: number): Row[] {
  const slowest = Math.max(...pages);
  const row = { baseline: "-", ratio: "-" };
  return [
    {
      ...row,
      figure: `Replies after ${RESTORES} restores, ${where}`,
      measured: `${lateReplies} of an earlier version`,
      target: "0",
      isMet: lateReplies === 0,
    },
    {
      ...row,
      figure: `Triggers of a page after ${RESTORES} restores, ${where} (median, slowest)`,
      measured: limit === 0 ? `${pages.filter(Boolean).length} late` : `${ms(quantile(pages, 0.5))}, ${ms(slowest)}`,
      target: limit === 0 ? "0 late" : `< ${ms(limit)}`,
      isMet: slowest <= limit,
    },
  ];
}

async function measureDelays(here: Foyer, there: Foyer): Promise<Delays> {
  const agentId = await here.createAgent();
  const call = (method: string, path: string, body: object = {}) => callApi(here.url, method, path, body);
  await call("PATCH", `/agents/${agentId}`, { publishing: "manual" });
  const trigger = await call("POST", `/triggers?agentId=${agentId}`, {
    name: "First",
    triggerType: "exit_intent",
    conditions: {},
    actionType: "open_chat",
    actionConfig: {},
  });
  const { version: first } = (await call("POST", `/agents/${agentId}/publish`)).data as { version: number };
  await call("PUT", `/triggers/${trigger.id}`, { name: "Second" });
  await call("POST", `/agents/${agentId}/publish`);
  const delays: Delays = { lateReplies: 0, pages: [] };
  for (let count = 0; count < RESTORES; count++) {
    // The other process has cached what its pages load, at different times before the restore.
    await readTrigger(there, agentId);
    await wait(Math.random() * 100);
    const name = count % 2 === 0 ? "First" : "Second";
    const restored = await call("POST", `/agents/${agentId}/versions/${first + (count % 2)}/restore`);
    const restoredAt = performance.now();
    const [version, delay] = await Promise.all([
      replyVersion(there, agentId),
      untilTrigger(there, { agentId, name, since: restoredAt }),
    ]);
    if (version !== (restored.data as { version: number }).version) delays.lateReplies++;
    delays.pages.push(delay);
  }
  return delays;
}

/** 0 if the first response already has the trigger. */
async function untilTrigger(
  foyer: Foyer,
  { agentId, name, since }: { agentId: string; name: string; since: number },
): Promise<number> {
  for (let read = 0; ; read++) {
    if ((await readTrigger(foyer, agentId)) === name) return read === 0 ? 0 : performance.now() - since;
    await wait(POLL_MS);
  }
}

async function readTrigger(foyer: Foyer, agentId: string): Promise<string> {
  const response = await fetch(`${foyer.url}/triggers/widget/${agentId}`);
  const [trigger] = (await response.json()) as Array<{ name: string }>;
  return trigger?.name ?? "";
}

/** The version that a new reply names. */
async function replyVersion({ url }: Foyer, agentId: string): Promise<number | null> {
  const body = JSON.stringify({ agentId, messages: [{ role: "user", content: "When are you open?" }] });
  const stream = await fetch(`${url}/chat`, { method: "POST", headers: { ...authorized, ...json }, body });
  const id = /"conversationId":"(\w+)"/.exec(await stream.text())?.[1];
  const { data } = await callApi(url, "GET", `/conversations/${id}`);
  return (data as { messages: Array<{ agentVersion: number | null }> }).messages.at(-1)?.agentVersion ?? null;
}

async function callApi(url: string, method: string, path: string, body?: object) {
  const headers = { ...authorized, ...json };
  const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${await response.text()}`);
  return (await response.json()) as { id?: string; data?: unknown };
}
