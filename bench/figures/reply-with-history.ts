import { ms, type Row, times } from "../figure.ts";
import { fillDatabase } from "../fill-database.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { cpuPerReply } from "../reply-cpu.ts";
import { alternate, median } from "../rounds.ts";

const LIMIT = 1.1;
const script = { tokens: 200, everyMs: 0, isStamped: false };
const load = { streams: 16, rampMs: 0, replies: 25 };
const warmLoad = { ...load, replies: 40 };

/** Two servers that differ only in what is already stored. */
export async function measureReplyWithHistory(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using fullFolder = temporaryFolder();
  using emptyFolder = temporaryFolder();
  const agentId = await fillWithMessages(fullFolder.path, upstream.url);
  await using full = await startFoyer({ dataDir: fullFolder.path, upstreamUrl: upstream.url });
  await using empty = await startFoyer({ dataDir: emptyFolder.path, upstreamUrl: upstream.url });
  const fullChat = chatEndpoint(full.url, agentId, script);
  const emptyChat = chatEndpoint(empty.url, await empty.createAgent(script), script);
  await runStreams(fullChat, warmLoad);
  await runStreams(emptyChat, warmLoad);
  const results = await alternate({
    subject: () => cpuPerReply(full, fullChat, load),
    baseline: () => cpuPerReply(empty, emptyChat, load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure: "The first, with 100,000 stored messages",
      measured: ms(subject),
      baseline: `${ms(baseline)} (none)`,
      ratio: times(subject / baseline),
      target: `<= ${times(LIMIT)}`,
      isMet: subject / baseline <= LIMIT,
    },
  ];
}

async function fillWithMessages(dataDir: string, upstreamUrl: string): Promise<string> {
  const agentId = await makeAgent(dataDir, upstreamUrl);
  fillDatabase(dataDir, agentId, 10_000, 10);
  return agentId;
}

async function makeAgent(dataDir: string, upstreamUrl: string): Promise<string> {
  await using foyer = await startFoyer({ dataDir, upstreamUrl });
  return await foyer.createAgent(script);
}
