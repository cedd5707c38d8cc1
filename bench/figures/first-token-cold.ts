import { ms, type Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { median, ROUNDS } from "../rounds.ts";
import { p99AddedTimeToFirstToken } from "../time-to-first-token.ts";

const STREAMS = 200;
const LIMIT_MS = 100;
const script = { tokens: 100, everyMs: 20, isStamped: true };

/** The delay that Foyer adds for the first visitors after a start, all of which come within two seconds. */
export async function measureFirstTokenCold(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
    const chat = chatEndpoint(foyer.url, await foyer.createAgent(script), script);
    delays.push(p99AddedTimeToFirstToken(await runStreams(chat, { streams: STREAMS, rampMs: 2_000, replies: 2 })));
  }
  const delay = median(delays);
  return [
    {
      figure: "Added time to first token (p99) after a start, 200 streams",
      measured: ms(delay),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: delay <= LIMIT_MS,
    },
  ];
}
