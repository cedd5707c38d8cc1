import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ms, type Row, times } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { cpuPerReply } from "../reply-cpu.ts";
import { alternate, median } from "../rounds.ts";

const script = { tokens: 200, everyMs: 0, isStamped: false };
const warmUp = { streams: 16, rampMs: 0, replies: 20 };
const load = { streams: 16, rampMs: 0, replies: 10 };

/** CPU time of a reply compared with the server of an earlier version in another folder, with its dependencies. */
export async function measureReplyBefore(folder: string | undefined): Promise<Row[]> {
  if (folder === undefined) return [];
  const file = pathToFileURL(resolve(folder, "bench/foyer-process.ts")).href;
  const earlier: { startFoyer: typeof startFoyer } = await import(file);
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using data = temporaryFolder();
  using earlierData = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: data.path, upstreamUrl: upstream.url });
  await using before = await earlier.startFoyer({ dataDir: earlierData.path, upstreamUrl: upstream.url });
  const chat = chatEndpoint(foyer.url, await foyer.createAgent(script), script);
  const earlierChat = chatEndpoint(before.url, await before.createAgent(script), script);
  await runStreams(chat, warmUp);
  await runStreams(earlierChat, warmUp);
  const results = await alternate(
    {
      subject: () => cpuPerReply(foyer, chat, load),
      baseline: () => cpuPerReply(before, earlierChat, load),
    },
    9,
  );
  const [subject, baseline] = [median(results.subject), median(results.baseline)];
  return [
    {
      figure: "CPU of a 200-token reply",
      measured: ms(subject),
      baseline: `${ms(baseline)} (the server in ${folder})`,
      ratio: times(subject / baseline),
      target: `<= ${times(1.03)}`,
      isMet: subject / baseline <= 1.03,
    },
  ];
}
