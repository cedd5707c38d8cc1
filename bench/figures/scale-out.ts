import { startPostgres } from "../../test/postgres-server.ts";
import { ms, type Row, times } from "../figure.ts";
import { type Foyer, startFoyer } from "../foyer-process.ts";
import { chatEndpoint, type Endpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { median } from "../rounds.ts";
import { treeCpuMs } from "../tree-cpu.ts";

const SIZES = [1, 2, 4];
const ROUNDS = 3;
const LIMIT = 1.05;
/** The load of each process, low enough that four processes do not saturate two cores. */
const load = { streams: 20, rampMs: 1_000, replies: 2 };
const script = { tokens: 200, everyMs: 20, isStamped: false };
const warmUpLoad = { streams: 16, rampMs: 0, replies: 25 };
const warmUpScript = { ...script, everyMs: 0 };

type Cost = { foyer: number; database: number };

/**
 * What a reply costs the processes and PostgreSQL when more processes share it, at the same load for each. All sizes
 * are measured alternately. Processes that do not take part are stopped meanwhile, so that they cost PostgreSQL
 * nothing.
 */
export async function measureScaleOut(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  // As in production, every commit reaches the disk.
  const postgres = await startPostgres({ settings: { fsync: "on", full_page_writes: "on" } });
  try {
    await using stack = new AsyncDisposableStack();
    const foyers: Foyer[] = [];
    for (let started = 0; started < Math.max(...SIZES); started++) {
      const options = { dataDir: folder.path, databaseUrl: postgres.url, upstreamUrl: upstream.url };
      foyers.push(stack.use(await startFoyer(options)));
    }
    const costs = await measure(foyers, () => treeCpuMs(postgres.pid()));
    return SIZES.flatMap((size) => createRows(size, costs));
  } finally {
    await postgres.stop();
  }
}

async function measure(foyers: readonly Foyer[], databaseCpuMs: () => number): Promise<Map<number, Cost[]>> {
  const [first] = foyers;
  if (!first) throw new Error("No process was started.");
  const agentId = await first.createAgent(script);
  const warmUpId = await first.createAgent(warmUpScript);
  for (const { url } of foyers) await runStreams(chatEndpoint(url, warmUpId, warmUpScript), warmUpLoad);
  const costs = new Map<number, Cost[]>(SIZES.map((size) => [size, []]));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const size of SIZES) {
        for (const [index, { pid }] of foyers.entries()) process.kill(pid, index < size ? "SIGCONT" : "SIGSTOP");
        const chats = foyers.slice(0, size).map(({ url }) => chatEndpoint(url, agentId, script));
        costs.get(size)?.push(await costPerReply(foyers.slice(0, size), chats, databaseCpuMs));
      }
    }
  } finally {
    for (const { pid } of foyers) process.kill(pid, "SIGCONT");
  }
  return costs;
}

/** CPU time for one reply, in milliseconds. */
async function costPerReply(
  foyers: readonly Foyer[],
  chats: readonly Endpoint[],
  databaseCpuMs: () => number,
): Promise<Cost> {
  const foyerCpuMs = () => foyers.reduce((sum, foyer) => sum + foyer.cpuMs(), 0);
  const before = { foyer: foyerCpuMs(), database: databaseCpuMs() };
  await Promise.all(chats.map((chat) => runStreams(chat, load)));
  const replies = foyers.length * load.streams * load.replies;
  return { foyer: (foyerCpuMs() - before.foyer) / replies, database: (databaseCpuMs() - before.database) / replies };
}

function createRows(size: number, costs: ReadonlyMap<number, Cost[]>): Row[] {
  const medianOf = (processes: number, part: keyof Cost) =>
    median((costs.get(processes) ?? []).map((cost) => cost[part]));
  const parts = [
    ["foyer", "CPU of a reply"],
    ["database", "CPU of PostgreSQL for a reply"],
  ] as const;
  return parts.map(([part, name]) => {
    const [measured, baseline] = [medianOf(size, part), medianOf(1, part)];
    return {
      figure: `${name}, ${size} ${size === 1 ? "process" : "processes"} on one PostgreSQL`,
      measured: ms(measured),
      baseline: `${ms(baseline)} (1 process)`,
      ratio: times(measured / baseline),
      target: `<= ${times(LIMIT)}`,
      isMet: measured / baseline <= LIMIT,
    };
  });
}
