import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createConversationToken } from "../../packages/server/src/auth/conversation-token.ts";
import { createEncryption } from "../../packages/server/src/encryption.ts";
import { withClient } from "../../test/databases.ts";
import { startPostgres } from "../../test/postgres-server.ts";
import { kilobytes, ms, type Row } from "../figure.ts";
import { fillDatabase, waitForPerson } from "../fill-database.ts";
import { type Foyer, startFoyer } from "../foyer-process.ts";
import { openConversation, signIn, type Talk } from "../handoff-client.ts";
import { temporaryFolder } from "../processes.ts";
import { quantile } from "../rounds.ts";

const SECRET = "a secret of the bench, long enough";
const VISITORS = 5_000;
const OPEN_AT_ONCE = 50;
const LIMIT_BYTES = 40_000;
const RETRY_MS = 500;
const SETTLE_MS = 5_000;
const IDLE_MS = 30_000;
const LIMIT_CPU = 0.05;

const TALKS = 20;
const MESSAGES = 15;
const PAUSE_MS = 2_000;
const LIMIT_MS = { one: 300, two: 1_500 };

/**
 * The live streams of a handoff: how long a member's message takes to reach the visitor, and the cost of waiting
 * visitors.
 */
export async function measureHandoff(): Promise<Row[]> {
  return [await delayInOneProcess(), await delayAcrossTwo(), ...(await waitingVisitors())];
}

async function delayInOneProcess(): Promise<Row> {
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path });
  return delayRow("one process", await measureDelays(foyer, foyer), LIMIT_MS.one);
}

async function delayAcrossTwo(): Promise<Row> {
  const postgres = await startPostgres();
  try {
    await withClient(postgres.url, (client) => client.query("create database handoff"));
    const databaseUrl = new URL(postgres.url);
    databaseUrl.pathname = "/handoff";
    using folder = temporaryFolder();
    await using here = await startFoyer({ dataDir: folder.path, databaseUrl: databaseUrl.href });
    await using there = await startFoyer({ dataDir: folder.path, databaseUrl: databaseUrl.href });
    return delayRow("two processes", await measureDelays(here, there), LIMIT_MS.two);
  } finally {
    await postgres.stop();
  }
}

function delayRow(where: string, measured: number[], limit: number): Row {
  const delay = quantile(measured, 0.95);
  return {
    figure: `Member's message to the visitor, ${where} (p95)`,
    measured: ms(delay),
    baseline: "-",
    ratio: "-",
    target: `< ${ms(limit)}, none lost`,
    isMet: delay < limit,
  };
}

/** From the member's request to the visitor's client, in milliseconds, at random moments in several conversations. */
async function measureDelays(member: Foyer, visitor: Foyer): Promise<number[]> {
  const agentId = await member.createAgent();
  const session = await signIn(member.url);
  const talks = await Promise.all(
    Array.from({ length: TALKS }, () => openConversation({ session, visitorUrl: visitor.url, agentId })),
  );
  const measured = await Promise.all(talks.map(writeMessages));
  await Promise.all(talks.map((talk) => talk.close()));
  return measured.flat();
}

async function writeMessages(talk: Talk): Promise<number[]> {
  const measured: number[] = [];
  for (let number = 0; number < MESSAGES; number++) {
    await wait(Math.random() * PAUSE_MS);
    measured.push(await talk.write(`Message ${number}`));
  }
  return measured;
}

async function waitingVisitors(): Promise<Row[]> {
  using folder = temporaryFolder();
  const options = { dataDir: folder.path, env: { FOYER_SECRET: SECRET, FOYER_LIMIT_STREAMS: "0" } };
  const agentId = await createAgent(options);
  fillDatabase(folder.path, agentId, VISITORS, 4);
  waitForPerson(folder.path);
  await using foyer = await startFoyer(options);
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const encryption = createEncryption(SECRET);
  const open = (number: number) => {
    const id = `conv_${String(number).padStart(26, "0")}`;
    return openStream(`${foyer.url}/conversations/${id}/events`, createConversationToken(encryption, id), agent);
  };

  const first = await openAll(open, VISITORS / 10);
  for (const stream of first) stream.destroy();
  await wait(SETTLE_MS);
  const before = foyer.rssBytes();
  const streams = await openAll(open, VISITORS);
  await wait(SETTLE_MS);
  const bytesEach = (foyer.rssBytes() - before) / VISITORS;
  const cpuBefore = foyer.cpuMs();
  await wait(IDLE_MS);
  const cpu = (foyer.cpuMs() - cpuBefore) / IDLE_MS;
  const lost = streams.filter(({ destroyed }) => destroyed).length;
  for (const stream of streams) stream.destroy();
  const waiting = `${VISITORS.toLocaleString("en")} visitors wait for a person`;
  return [
    {
      figure: `${waiting}: memory of each`,
      measured: kilobytes(bytesEach),
      baseline: "-",
      ratio: "-",
      target: `<= ${kilobytes(LIMIT_BYTES)}, none fails`,
      isMet: bytesEach <= LIMIT_BYTES && lost === 0,
    },
    {
      figure: "… CPU of the idle process",
      measured: `${(cpu * 100).toFixed(1)} %`,
      baseline: "-",
      ratio: "-",
      target: `< ${LIMIT_CPU * 100} %`,
      isMet: cpu < LIMIT_CPU,
    },
  ];
}

async function createAgent(options: Parameters<typeof startFoyer>[0]): Promise<string> {
  await using foyer = await startFoyer(options);
  return await foyer.createAgent();
}

async function openAll(open: (number: number) => Promise<IncomingMessage>, count: number): Promise<IncomingMessage[]> {
  const streams: IncomingMessage[] = [];
  for (let from = 0; from < count; from += OPEN_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(OPEN_AT_ONCE, count - from) }, (_, index) => from + index);
    streams.push(...(await Promise.all(numbers.map(open))));
  }
  return streams;
}

/**
 * Resolves when the first event has arrived. Like the widget, it tries again when the server is too busy.
 * @throws when the server refuses the stream
 */
async function openStream(url: string, token: string, agent: Agent): Promise<IncomingMessage> {
  const call = httpRequest(url, { agent, headers: { authorization: `Bearer ${token}` } });
  call.end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  if (response.statusCode === 503) {
    response.resume();
    await wait(RETRY_MS);
    return openStream(url, token, agent);
  }
  if (response.statusCode !== 200) throw new Error(`${url}: HTTP ${response.statusCode}`);
  response.on("error", () => {});
  const [chunk] = await once(response, "data");
  if (!String(chunk).includes('"handler":"waiting"')) throw new Error(`${url}: ${chunk}`);
  return response.resume();
}
