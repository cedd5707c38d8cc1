import { ms, type Row, times } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { cpuPerReply } from "../reply-cpu.ts";
import { alternate, median } from "../rounds.ts";
import { createToolAgent, mock } from "./tool-agent.ts";

const LIMIT_MS = 1;
const plain = { tokens: 10, everyMs: 0, isStamped: false };
const withCall = { ...plain, calls: 1 };
const load = { streams: 16, rampMs: 0, replies: 25 };
const warmLoad = { ...load, replies: 40 };

/**
 * CPU time of a reply in which the model calls a mock tool and then sends ten tokens, minus that of a reply with only
 * the ten tokens. Both agents have the same tool. The difference is the cost of the call: validating its input, running
 * it, its two events, its share of what is stored, and the second request to the model. Subtracting two plain replies
 * would be too much, because the second one has its own request, conversation and messages.
 */
export async function measureMockTool(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  const callChat = chatEndpoint(foyer.url, await createToolAgent(foyer, withCall, mock), withCall);
  const plainChat = chatEndpoint(foyer.url, await createToolAgent(foyer, plain, mock), plain);
  await runStreams(callChat, warmLoad);
  await runStreams(plainChat, warmLoad);
  const results = await alternate({
    subject: () => cpuPerReply(foyer, callChat, load),
    baseline: () => cpuPerReply(foyer, plainChat, load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  const added = subject - baseline;
  return [
    {
      figure: "CPU that a mock tool's call adds, its model step included",
      measured: ms(added),
      baseline: `${ms(baseline)} (plain reply)`,
      ratio: times(subject / baseline),
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: added <= LIMIT_MS,
    },
  ];
}
