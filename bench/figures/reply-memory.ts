import { megabytes, type Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";

const CONCURRENT = 16;
const REPLIES = 40_000;
const LIMIT_BYTES = 200_000_000;
const script = { tokens: 200, everyMs: 0, isStamped: false };

/** The resident memory of a server that has been busy for minutes. */
export async function measureReplyMemory(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  const chat = chatEndpoint(foyer.url, await foyer.createAgent(script), script);
  const before = foyer.rssBytes();
  await runStreams(chat, { streams: CONCURRENT, rampMs: 0, replies: REPLIES / CONCURRENT });
  const after = foyer.rssBytes();
  return [
    {
      figure: `Memory after ${REPLIES.toLocaleString("en")} stored 200-token replies, ${CONCURRENT} concurrent`,
      measured: megabytes(after),
      baseline: `${megabytes(before)} (before them)`,
      ratio: "-",
      target: `<= ${megabytes(LIMIT_BYTES)}`,
      isMet: after <= LIMIT_BYTES,
    },
  ];
}
