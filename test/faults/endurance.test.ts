import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { withStatementTimeout } from "../../packages/server/src/db/statement-timeout.ts";
import { startUpstream } from "../upstream.ts";
import { answerLoad } from "./chat-load.ts";
import { checkLoad, createDeliveredIds } from "./endurance-check.ts";
import { createEnduranceLoad, type EnduranceLoad } from "./endurance-load.ts";
import { faultRun } from "./fault-run.ts";
import { createFaultSite, type DatabaseName, type FaultSite, type ServerProcess } from "./fault-site.ts";
import { expectFlat, type ProcessUsage, processUsage } from "./process-usage.ts";

/**
 * How long `npm run test:endurance` runs on each database, in minutes. Without this variable, the test runs in its
 * short form.
 */
const minutes = Number(process.env.FOYER_ENDURANCE_MINUTES ?? 0);
const isLong = minutes > 0;
const runMs = isLong ? 60_000 : 0;
const MIN_RESTARTS = 2;
/**
 * The number of further requests of each kind that have to be acknowledged before a server is restarted, however slow
 * the machine is.
 */
const MIN_ACKNOWLEDGED = 5;
const databases: DatabaseName[] = isLong ? ["SQLite", "PostgreSQL"] : ["SQLite"];
const timeout = 3 * faultRun.timeout + 2 * minutes * 60_000;
/**
 * The number of files that a server may open after its start: connections of the database's pool, threads, and clients
 * that keep their connections.
 */
const MAX_MORE_FILES = 60;
/** Each check reads all its rows in one query. */
const STATEMENT_MS = 60_000;

/** A machine that is busy with other work can stall PostgreSQL until queries and connections time out. */
const OVERLOADED = /Query read timeout|timeout exceeded when trying to connect|timeout expired/;

const env = {
  FOYER_LOG_LEVEL: "error",
  FOYER_DRAIN_TIMEOUT: "5s",
  FOYER_DEFAULT_MODEL: "openai-compatible/test",
};

it.each(databases)(
  "nothing is lost, repeated or leaked by restarts under mixed load on %s",
  {
    timeout,
  },
  async (database) => {
    const upstream = await startUpstream((exchange) => {
      // The stand-in keeps exchanges for tests that inspect them. A long run would accumulate too many.
      upstream.exchanges.splice(0);
      return answerLoad(exchange);
    });
    const site = await createFaultSite(database, { ...env, OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1` });
    try {
      await endure(database, site);
    } finally {
      await site.remove();
      await upstream.stop();
    }
  },
);

/** Restarts a server under load. On PostgreSQL, a second server runs from the beginning to the end. */
async function endure(database: DatabaseName, site: FaultSite): Promise<void> {
  const log = (text: string) => void (isLong && console.log(`${new Date().toISOString()} ${database}: ${text}`));
  const delivered = createDeliveredIds(site);
  const stop = new AbortController();
  let serverProcess = await start(site);
  const atStart = processUsage(serverProcess.pid);
  const load = await createEnduranceLoad(site, serverProcess, "restarted");
  const steady = database === "PostgreSQL" ? await startSteady(site, () => serverProcess, stop.signal) : null;
  const loads = [load, ...(steady ? [steady.load] : [])];
  const usage: Usage = { restarted: [], steady: [] };
  const errors: string[] = [];

  const deadline = performance.now() + minutes * 60_000;
  for (let index = 0; index < MIN_RESTARTS || performance.now() < deadline; index++) {
    const running = load.run(serverProcess, () => steady?.serverProcess ?? serverProcess, stop.signal);
    const lived = Promise.all([wait(runMs), load.hasAcknowledged(MIN_ACKNOWLEDGED)]);
    await Promise.race([lived, serverProcess.exited, catchFailure(running), catchFailure(steady?.running)]);
    usage.restarted.push(processUsage(serverProcess.pid));
    if (steady) usage.steady.push(processUsage(steady.serverProcess.pid));
    errors.push(...(await end(serverProcess, index % 2 === 0 ? "SIGTERM" : "SIGKILL")));
    await running;
    delivered.collect();
    log(`${index + 1} restarts, ${tally(loads)}, ${formatLatest(usage)}`);
    serverProcess = await start(site);
  }

  stop.abort();
  await steady?.running;
  for (const one of loads) await one.finish(serverProcess);
  for (const one of loads)
    await withStatementTimeout(STATEMENT_MS, () => checkLoad(site, { serverProcess, load: one, delivered }));
  log(`${tally(loads)}, ${delivered.repeated()} deliveries repeated after a kill`);
  for (const server of [serverProcess, ...(steady ? [steady.serverProcess] : [])]) {
    expect(processUsage(server.pid).files).toBeLessThan(atStart.files + MAX_MORE_FILES);
    errors.push(...(await end(server, "SIGTERM")));
  }
  expect(errors).toEqual([]);
  expectFlat(usage.restarted);
  expectFlat(usage.steady);
}

type Usage = Record<"restarted" | "steady", ProcessUsage[]>;

async function startSteady(site: FaultSite, other: () => ServerProcess, signal: AbortSignal) {
  const serverProcess = await start(site);
  const load = await createEnduranceLoad(site, serverProcess, "steady");
  return { serverProcess, load, running: load.run(serverProcess, other, signal) };
}

/** Starts a server. Like a process manager, tries again when PostgreSQL was too busy to accept a connection in time. */
async function start(site: FaultSite): Promise<ServerProcess> {
  return site.start().catch((error: Error) => {
    if (OVERLOADED.test(error.message)) return start(site);
    throw error;
  });
}

/** Ends a server. @returns the errors that it has logged */
async function end(serverProcess: ServerProcess, signal: "SIGTERM" | "SIGKILL"): Promise<string[]> {
  serverProcess.kill(signal);
  const exit = await serverProcess.exited;
  expect(exit.code ?? exit.signal, `${exit.stdout}${exit.stderr}`).toBe(signal === "SIGTERM" ? 0 : signal);
  const errors = exit.stdout.split("\n").filter((line) => /^\{"level":[56]0/.test(line));
  return errors.filter((line) => !OVERLOADED.test(line));
}

/** Rejects when the load fails. Never resolves. */
async function catchFailure(running: Promise<void> | undefined): Promise<void> {
  await running;
  await new Promise(() => {});
}

function tally(loads: readonly EnduranceLoad[]): string {
  const sum = (count: (load: EnduranceLoad) => number) => loads.reduce((total, load) => total + count(load), 0);
  const messages = sum(({ chats }) => chats.turns.length);
  const submissions = sum((load) => load.submissions.acknowledged.length);
  const events = sum(({ triggerEvents }) => triggerEvents.acknowledged.length);
  return `${messages} messages, ${submissions} submissions and ${events} events acknowledged`;
}

function formatLatest(usage: Usage): string {
  const each = Object.entries(usage).flatMap(([name, samples]) => {
    const last = samples.at(-1);
    return last ? [`${name} ${Math.round(last.rssBytes / 1e6)} MB and ${last.files} files`] : [];
  });
  return each.join(", ");
}
