import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { kilobytes, type Row, times } from "../figure.ts";
import { type Foyer, startFoyer } from "../foyer-process.ts";
import { type HeapMeter, inspectable } from "../heap-meter.ts";
import { chatEndpoint, type Endpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";
import { type Script, TOOL_NAME } from "../upstream-script.ts";
import { createToolAgent } from "./tool-agent.ts";

const STREAMS = 2_000;
/**
 * The number of replies that start at the same time. Each further reply is requested once an earlier one has reached
 * the measured state.
 */
const CONCURRENCY = 50;
/** The ratio that the spread of the medians can cause when both sides retain the same amount. */
const TOLERANCE = 1.1;
/** The first token comes after the measurement. */
const silent = { tokens: 3, everyMs: 60_000, isStamped: true };
const calling = { tokens: 3, everyMs: 5, isStamped: true, calls: 1 };
const quick = { tokens: 20, everyMs: 5, isStamped: true };

/**
 * Memory of replies that wait for a tool of the page, compared with replies that wait for the model's first token. The
 * resident memory of the process mostly shows what starting the replies took, so the heap is measured after a garbage
 * collection, in one process and alternately.
 */
export async function measureClientToolWait(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  const inspection = await inspectable();
  const { nodeOptions } = inspection;
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url, nodeOptions });
  await using heap = await inspection.connect();
  const warm = chatEndpoint(foyer.url, await foyer.createAgent(quick), quick);
  await runStreams(warm, { streams: 20, rampMs: 0, replies: 5 });
  const waiting = await createReply(foyer, calling);
  const idle = await createReply(foyer, silent);
  const bytes = await alternate({
    subject: () => bytesEach({ foyer, heap }, waiting, "tool_use_start"),
    baseline: () => bytesEach({ foyer, heap }, idle, "message_start"),
  });
  const ratio = median(bytes.subject) / median(bytes.baseline);
  return [
    {
      figure: `Memory of each of ${STREAMS.toLocaleString("en")} replies that wait for a tool of the page`,
      measured: kilobytes(median(bytes.subject)),
      baseline: `${kilobytes(median(bytes.baseline))} (an idle stream)`,
      ratio: times(ratio),
      target: `<= ${times(TOLERANCE)}`,
      isMet: ratio <= TOLERANCE,
    },
  ];
}

/** A reply of an agent with a client tool, which the script may or may not call. */
async function createReply(foyer: Foyer, script: Script): Promise<Endpoint> {
  const chat = chatEndpoint(foyer.url, await createToolAgent(foyer, script, { executionType: "client" }), script);
  return { ...chat, body: JSON.stringify({ ...JSON.parse(chat.body), clientTools: [TOOL_NAME] }) };
}

/** Returns the memory that each reply retains while it waits after an event of this type, in bytes. */
async function bytesEach({ foyer, heap }: { foyer: Foyer; heap: HeapMeter }, reply: Endpoint, event: string) {
  const before = await heap.retainedBytes();
  const streams = await openStreams(reply, event);
  await waitUntilQuiet(foyer);
  const during = await heap.retainedBytes();
  if (streams.ended() > 0) throw new Error(`${streams.ended()} of the replies did not wait.`);
  streams.close();
  await waitUntilQuiet(foyer);
  return (during - before) / STREAMS;
}

/** Requests the replies and reads each stream until it is closed. Resolves when all of them have sent the event. */
async function openStreams({ url, body }: Endpoint, event: string) {
  const agent = new Agent({ maxSockets: STREAMS });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  let ended = 0;
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const call = request(url, { method: "POST", agent, headers }, (response) => {
        let received = "";
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          received += text;
          if (received.includes(`event: ${event}\n`)) resolve();
        });
        response.on("end", () => {
          ended++;
          reject(new Error(`A reply ended early: ${received}`));
        });
        response.on("error", reject);
      });
      call.on("error", reject).end(body);
    });
  let opened = 0;
  const worker = async () => {
    while (opened++ < STREAMS) await open();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return { ended: () => ended, close: () => agent.destroy() };
}

/** Waits until the process is idle. Its timers and heartbeats use less CPU time than this. */
async function waitUntilQuiet(foyer: Foyer): Promise<void> {
  for (let before = foyer.cpuMs(); ; ) {
    await wait(500);
    const now = foyer.cpuMs();
    if (now - before <= 20) return;
    before = now;
  }
}
