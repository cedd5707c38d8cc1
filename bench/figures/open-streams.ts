import { setTimeout as wait } from "node:timers/promises";
import { kilobytes, ms, type Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { quantile } from "../rounds.ts";

const LIMIT_BYTES = 60_000;
const LIMIT_MS = 100;
/** The time between the starts of two streams, in milliseconds. */
const APART_MS = 5;

/**
 * Only one round, because the memory of a process does not shrink. A stream that fails ends the measurement with its
 * reason. The streams are opened one at a time, and all of them stay open until the first one ends.
 */
export async function measureOpenStreams(streams: number): Promise<Row[]> {
  const rampMs = streams * APART_MS;
  const tokens = 30;
  const script = { tokens, everyMs: (3 * rampMs) / tokens, isStamped: true };
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  const warmUp = { ...script, tokens: 20, everyMs: 5 };
  const warm = chatEndpoint(foyer.url, await foyer.createAgent(warmUp), warmUp);
  await runStreams(warm, { streams: 20, rampMs: 0, replies: 5 });
  const chat = chatEndpoint(foyer.url, await foyer.createAgent(script), script);

  const before = foyer.rssBytes();
  const running = runStreams(chat, { streams, rampMs, replies: 1 });
  const [timings, atFull] = await Promise.all([running, rssAfter(foyer, script.tokens * script.everyMs - 1_000)]);
  const bytesEach = (atFull - before) / streams;
  const delay = quantile(
    timings.flatMap(({ delays }) => delays),
    0.99,
  );
  const open = `${streams.toLocaleString("en")} open streams, a token every ${script.everyMs / 1_000} s`;
  return [
    {
      figure: `${open}: memory of each`,
      measured: kilobytes(bytesEach),
      baseline: "-",
      ratio: "-",
      target: `<= ${kilobytes(LIMIT_BYTES)}, none fails`,
      isMet: bytesEach <= LIMIT_BYTES,
    },
    {
      figure: "… delay of a token (p99)",
      measured: ms(delay),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: delay <= LIMIT_MS,
    },
  ];
}

async function rssAfter(server: { rssBytes(): number }, afterMs: number) {
  await wait(afterMs);
  return server.rssBytes();
}
