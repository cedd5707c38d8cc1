import { startFoyer } from "./foyer-process.ts";
import { chatEndpoint, completionEndpoint, runStreams, type Timing } from "./load.ts";
import { startScript, temporaryFolder } from "./processes.ts";
import { alternate, median, quantile, type Sides } from "./rounds.ts";
import { warmUp } from "./warm-up.ts";

const script = { tokens: 100, everyMs: 20, isStamped: true };

/**
 * The time from the request to the first delta, minus the provider's time: p99 of each round, in milliseconds, compared
 * with a hand-written proxy. Streams start evenly over time, as visitors do, and continue with the next reply, so that
 * new replies always compete with running ones.
 */
export async function addedToFirstToken(streams: number): Promise<Sides<number>> {
  await using upstream = await startScript(new URL("upstream-process.ts", import.meta.url));
  await using proxy = await startScript(new URL("baselines/fetch-proxy.ts", import.meta.url), upstream.url);
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  await warmUp(foyer, (fast) => completionEndpoint(proxy.url, fast, "event: stop"));
  const chat = chatEndpoint(foyer.url, await foyer.createAgent(script), script);
  const byHand = completionEndpoint(proxy.url, script, "event: stop");
  const load = { streams, rampMs: script.tokens * script.everyMs, replies: 2 };
  const results = await alternate({
    subject: async () => p99AddedTimeToFirstToken(await runStreams(chat, load)),
    baseline: async () => p99AddedTimeToFirstToken(await runStreams(byHand, load)),
  });
  return { subject: median(results.subject), baseline: median(results.baseline) };
}

function p99AddedTimeToFirstToken(timings: readonly Timing[]): number {
  return quantile(
    timings.map(({ addedToFirst }) => addedToFirst ?? Number.POSITIVE_INFINITY),
    0.99,
  );
}
