import { ms, type Row, times } from "../figure.ts";
import { authorized, type Foyer, startFoyer } from "../foyer-process.ts";
import { chatEndpoint, completionEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { startReceiver } from "../receiver.ts";
import { cpuPerReply } from "../reply-cpu.ts";
import { alternate, median, quantile } from "../rounds.ts";
import type { Script } from "../upstream-script.ts";
import { warmUp } from "../warm-up.ts";

const COST_LIMIT = 1.1;
const DELAY_LIMIT_MS = 300;
const TIMEOUT_MS = 60_000;
const script = { tokens: 200, everyMs: 20, isStamped: false };
const load = { streams: 50, rampMs: 1_000, replies: 1 };
/** Replies with events before the measurement, as many as `warmUp` requests without events. */
const eventWarmUp = { streams: 16, rampMs: 0, replies: 40 };

/**
 * The cost that a webhook for `reply.finished` adds to a reply, including its delivery, and how soon the event arrives.
 */
export async function measureReplyEvents(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  await using receiver = await startReceiver();
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  await warmUp(foyer, (fast) => completionEndpoint(upstream.url, fast));
  const plain = chatEndpoint(foyer.url, await foyer.createAgent(script), script);
  const watchedAgent = async (agentScript: Script) => {
    const agentId = await foyer.createAgent(agentScript);
    await createWebhook(foyer, agentId, `${receiver.url}/event`);
    return chatEndpoint(foyer.url, agentId, agentScript);
  };
  await runStreams(await watchedAgent({ ...script, everyMs: 0 }), eventWarmUp);
  const watched = await watchedAgent(script);
  let sent = eventWarmUp.streams * eventWarmUp.replies;
  const { waits: waitsBefore } = await receiver.hasTaken(sent, TIMEOUT_MS);
  const results = await alternate({
    async subject() {
      const cpu = await cpuPerReply(foyer, watched, load);
      sent += load.streams;
      await receiver.hasTaken(sent, TIMEOUT_MS);
      return cpu;
    },
    baseline: () => cpuPerReply(foyer, plain, load),
  });
  const [subject, baseline] = [median(results.subject), median(results.baseline)];
  const { waits } = await receiver.hasTaken(sent, TIMEOUT_MS);
  const delay = quantile(waits.slice(waitsBefore.length), 0.95);
  return [
    {
      figure: "A reply with its event and the event's delivery",
      measured: ms(subject),
      baseline: `${ms(baseline)} (no webhook)`,
      ratio: times(subject / baseline),
      target: `<= ${times(COST_LIMIT)}`,
      isMet: subject / baseline <= COST_LIMIT,
    },
    {
      figure: "… from the stored reply until its event arrives (p95)",
      measured: ms(delay),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(DELAY_LIMIT_MS)}`,
      isMet: delay <= DELAY_LIMIT_MS,
    },
  ];
}

async function createWebhook(foyer: Foyer, agentId: string, url: string) {
  const response = await fetch(`${foyer.url}/webhooks`, {
    method: "POST",
    headers: { ...authorized, "content-type": "application/json" },
    body: JSON.stringify({ url, events: ["reply.finished"], agentIds: [agentId] }),
  });
  if (response.status !== 201) throw new Error(`The webhook was not created: ${await response.text()}`);
}
