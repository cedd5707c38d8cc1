import { ms, type Row, times } from "../figure.ts";
import { type Foyer, startFoyer } from "../foyer-process.ts";
import { chatEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { cpuPerReply } from "../reply-cpu.ts";
import { alternate, median } from "../rounds.ts";
import { createTool, createToolAgent, mock } from "./tool-agent.ts";

const TOOLS = 100;
const LIMIT_MS = 2;
/** A reply of one word, so that nearly all of the work is done before the first token. */
const script = { tokens: 1, everyMs: 0, isStamped: false };
const load = { streams: 16, rampMs: 0, replies: 25 };
const warmLoad = { ...load, replies: 40 };

/**
 * CPU time of a one-word reply of an agent with 100 enabled tools, minus that of an agent with one. No tool is called.
 */
export async function measureHundredTools(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  const manyChat = chatEndpoint(foyer.url, await createAgentWith(foyer, TOOLS), script);
  const oneChat = chatEndpoint(foyer.url, await createAgentWith(foyer, 1), script);
  await runStreams(manyChat, warmLoad);
  await runStreams(oneChat, warmLoad);
  const results = await alternate({
    subject: () => cpuPerReply(foyer, manyChat, load),
    baseline: () => cpuPerReply(foyer, oneChat, load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  const added = subject - baseline;
  return [
    {
      figure: `CPU that ${TOOLS} tools add before the first token`,
      measured: ms(added),
      baseline: `${ms(baseline)} (reply with 1 tool)`,
      ratio: times(subject / baseline),
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: added <= LIMIT_MS,
    },
  ];
}

async function createAgentWith(foyer: Foyer, tools: number): Promise<string> {
  const agentId = await createToolAgent(foyer, script, mock);
  for (let index = 1; index < tools; index++) await createTool(foyer, agentId, toLetters(index), mock);
  return agentId;
}

/** Tool names have no digits: `tool_ab` for 1. */
function toLetters(number: number) {
  return `tool_${[Math.floor(number / 26), number % 26].map((digit) => String.fromCharCode(97 + digit)).join("")}`;
}
