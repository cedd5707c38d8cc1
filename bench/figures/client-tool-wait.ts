import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { kilobytes, type Row, times } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatOf, type Endpoint, keepStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { type Script, TOOL_NAME } from "../upstream-script.ts";
import { createToolAgent } from "./tool-agent.ts";

const STREAMS = 1_000;
const RAMP_MS = 5_000;
/** Less than the 30 seconds that a reply waits for its page. */
const MEASURED_AFTER_MS = 20_000;
/** Allowance for memory that is used once, such as compiled code, in the ratio of two processes. */
const TOLERANCE = 1.1;
/** The first token comes after the measurement. */
const silent = { tokens: 3, everyMs: 30_000, isStamped: true };
const calling = { tokens: 3, everyMs: 5, isStamped: true, calls: 1 };
const quick = { tokens: 20, everyMs: 5, isStamped: true };

/** Memory of replies that wait for a tool of the page, compared with replies that wait for the model's first token. */
export async function clientToolWait(): Promise<Row[]> {
  const waiting = await bytesEach(calling);
  const idle = await bytesEach(silent);
  return [
    {
      figure: `Memory of each of ${STREAMS.toLocaleString("en")} replies that wait for a tool of the page`,
      measured: kilobytes(waiting),
      baseline: `${kilobytes(idle)} (an idle stream)`,
      ratio: times(waiting / idle),
      target: `<= ${times(TOLERANCE)}`,
      isMet: waiting <= TOLERANCE * idle,
    },
  ];
}

/** Runs in its own process, because the memory of a process does not shrink. */
async function bytesEach(script: Script): Promise<number> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  const warm = chatOf(foyer.url, await foyer.createAgent(quick), quick);
  await keepStreams(warm, { streams: 20, rampMs: 0, replies: 5 });
  const agentId = await createToolAgent(foyer, script, { executionType: "client" });
  const chat = chatOf(foyer.url, agentId, script);
  const body = JSON.stringify({ ...JSON.parse(chat.body), clientTools: [TOOL_NAME] });
  const before = foyer.rssBytes();
  using streams = await openStreams({ ...chat, body });
  await wait(MEASURED_AFTER_MS - RAMP_MS);
  if (streams.ended() > 0) throw new Error(`${streams.ended()} of the replies did not wait.`);
  return (foyer.rssBytes() - before) / STREAMS;
}

/** Requests the replies evenly over the ramp, and reads the streams until it is disposed of. */
async function openStreams({ url, body }: Endpoint) {
  const agent = new Agent({ maxSockets: STREAMS });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  let ended = 0;
  for (let opened = 0; opened < STREAMS; opened++) {
    const call = request(url, { method: "POST", agent, headers }, (response) =>
      response.on("end", () => ended++).resume(),
    );
    call.on("error", () => ended++).end(body);
    await wait(RAMP_MS / STREAMS);
  }
  return { ended: () => ended, [Symbol.dispose]: () => agent.destroy() };
}
