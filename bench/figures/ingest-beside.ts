import { startPostgres } from "../../test/postgres-server.ts";
import { ms, type Row, times } from "../figure.ts";
import { type Foyer, startFoyer } from "../foyer-process.ts";
import { chatEndpoint, completionEndpoint, type Endpoint, runStreams } from "../load.ts";
import { type BenchProcess, startScript, temporaryFolder } from "../processes.ts";
import { median, quantile } from "../rounds.ts";
import { treeCpuMs } from "../tree-cpu.ts";
import { waitUntilAllReady } from "../upload-pages.ts";

const FIRST_TOKEN_LIMIT_MS = 10;
const HOLD_LIMIT_MS = 20;
const ROUNDS = 5;
const script = { tokens: 20, everyMs: 20, isStamped: true };
const load = { streams: 5, rampMs: 400, replies: 8 };

/**
 * Measures how visitors of one agent are affected while pages are added to another, on both databases. Each round
 * measures four situations: the server without and with uploads, and a hand-written proxy without and with a process
 * that only uses CPU. That process uses as much CPU as the processes around the server used during the uploads: those
 * that upload and read the pages, and the database. Its effect is therefore the part that no server can avoid on this
 * machine.
 */
export async function measureIngestionBesideReplies(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  await using proxy = await startScript(new URL("../baselines/fetch-proxy.ts", import.meta.url), upstream.url);
  const bare = completionEndpoint(proxy.url, script, "event: stop");
  return [...(await onSqlite(upstream, bare)), ...(await onPostgres(upstream, bare))];
}

async function onSqlite(upstream: BenchProcess, bare: Endpoint): Promise<Row[]> {
  using folder = temporaryFolder();
  await using foyer = await start({ dataDir: folder.path, upstreamUrl: upstream.url });
  return toRows("SQLite", await measure({ foyer, bare, databaseCpuMs: () => 0 }));
}

async function onPostgres(upstream: BenchProcess, bare: Endpoint): Promise<Row[]> {
  using folder = temporaryFolder();
  const { url, pid, stop } = await startPostgres();
  try {
    await using foyer = await start({ dataDir: folder.path, upstreamUrl: upstream.url, databaseUrl: url });
    return toRows("PostgreSQL", await measure({ foyer, bare, databaseCpuMs: () => treeCpuMs(pid()) }));
  } finally {
    await stop();
  }
}

function start(options: Parameters<typeof startFoyer>[0]): Promise<Foyer> {
  const holds = new URL("../../test/print-loop-holds.ts", import.meta.url);
  return startFoyer({ ...options, nodeOptions: [`--import=${holds.href}`] });
}

type Round = {
  /** p95 of the time to the first token, in milliseconds, without the time that the provider took */
  usual: number;
  ingesting: number;
  bare: number;
  besideBurner: number;
  /** cores that the processes around the server used during the uploads */
  cores: number;
  /** the longest hold of the event loop, in milliseconds */
  holdWithout: Hold;
  hold: Hold;
};
type Hold = { wall: number; cpu: number };
type Sides = { foyer: Foyer; bare: Endpoint; databaseCpuMs: () => number };

/** A first round is discarded as warm-up. */
async function measure({ foyer, bare, databaseCpuMs }: Sides): Promise<Round[]> {
  const chat = chatEndpoint(foyer.url, await foyer.createAgent(script), script);
  const agentId = await foyer.createAgent();
  const rounds: Round[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const without = await withHold(foyer, chat);
    const during = await whileUploading(foyer, { agentId, chat, databaseCpuMs });
    // Uploads that are still being processed would slow down the following measurements.
    await waitUntilAllReady(foyer.url, agentId);
    const bareMs = await firstToken(bare);
    const besideBurner = await besideBurners(during.cores, bare);
    if (round === 0) continue;
    rounds.push({
      usual: without.firstToken,
      ingesting: during.firstToken,
      bare: bareMs,
      besideBurner,
      cores: during.cores,
      holdWithout: without.hold,
      hold: during.hold,
    });
  }
  return rounds;
}

async function firstToken(endpoint: Endpoint): Promise<number> {
  const timings = await runStreams(endpoint, load);
  return quantile(
    timings.map(({ addedToFirst }) => addedToFirst ?? Number.POSITIVE_INFINITY),
    0.95,
  );
}

async function withHold(foyer: Foyer, chat: Endpoint): Promise<{ firstToken: number; hold: Hold }> {
  await foyer.ask("SIGUSR2");
  const measured = await firstToken(chat);
  const [, json = "{}"] = /loop-held (.*)\n/.exec(await foyer.ask("SIGUSR2")) ?? [];
  return { firstToken: measured, hold: JSON.parse(json) as Hold };
}

type Uploading = { agentId: string; chat: Endpoint; databaseCpuMs: () => number };

async function whileUploading(foyer: Foyer, { agentId, chat, databaseCpuMs }: Uploading) {
  await using uploads = await startScript(new URL("../upload-process.ts", import.meta.url), foyer.url, agentId);
  const aroundMs = () => uploads.cpuMs() + treeCpuMs(foyer.pid) - foyer.cpuMs() + databaseCpuMs();
  const startedAt = performance.now();
  const before = aroundMs();
  const measured = await withHold(foyer, chat);
  return { ...measured, cores: (aroundMs() - before) / (performance.now() - startedAt) };
}

/** One process can use one core at most. */
async function besideBurners(cores: number, endpoint: Endpoint): Promise<number> {
  const burner = new URL("../baselines/cpu-burner.ts", import.meta.url);
  await using first = await startScript(burner, String(Math.min(1, cores)));
  if (cores <= 1) return await firstToken(endpoint);
  await using second = await startScript(burner, String(cores - 1));
  if (first.hasEnded() || second.hasEnded()) throw new Error("A process that should use CPU has ended.");
  return await firstToken(endpoint);
}

function toRows(database: string, rounds: readonly Round[]): Row[] {
  const of = (value: (round: Round) => number) => median(rounds.map(value));
  const [usual, ingesting] = [of((round) => round.usual), of((round) => round.ingesting)];
  const [bare, besideBurner] = [of((round) => round.bare), of((round) => round.besideBurner)];
  const [hold, holdWithout] = [of((round) => round.hold.cpu), of((round) => round.holdWithout.cpu)];
  return [
    {
      figure: `Time to first token (p95) while pages are ingested, ${database}`,
      measured: ms(ingesting),
      baseline: `${ms(usual)} (the same, no uploads)`,
      ratio: times(ingesting / usual),
      target: `<= ${FIRST_TOKEN_LIMIT_MS} ms more`,
      isMet: ingesting - usual <= FIRST_TOKEN_LIMIT_MS,
    },
    {
      figure: `A bare proxy beside a process that uses as much CPU (${of((round) => round.cores).toFixed(2)} cores)`,
      measured: ms(besideBurner),
      baseline: `${ms(bare)} (the same, no such process)`,
      ratio: times(besideBurner / bare),
      target: "-",
      isMet: true,
    },
    {
      figure: `Longest hold of the event loop meanwhile, CPU (${ms(of((round) => round.hold.wall))} on the clock)`,
      measured: ms(hold),
      baseline: `${ms(holdWithout)} (the same, no uploads)`,
      ratio: times(hold / holdWithout),
      target: `<= ${HOLD_LIMIT_MS} ms`,
      isMet: hold <= HOLD_LIMIT_MS,
    },
  ];
}
