import { ms, type Row, times } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { inspectable } from "../heap-meter.ts";
import { chatEndpoint, runStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";
import { p99AddedTimeToFirstToken } from "../time-to-first-token.ts";

const script = { tokens: 100, everyMs: 20, isStamped: true };
const load = { streams: 50, rampMs: 2_000, replies: 4 };
const short = { tokens: 5, everyMs: 0, isStamped: false };
/** Enough replies to fill the memory for waiting spans several times. */
const flood = { streams: 16, rampMs: 0, replies: 200 };

/** A collector of traces that never answers: the time to the first token, and the memory. */
export async function measureHangingCollector(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  await using collector = await startScript(new URL("../baselines/hanging-collector.ts", import.meta.url));
  using folder = temporaryFolder();
  using plainFolder = temporaryFolder();
  const inspector = await inspectable();
  const plainInspector = await inspectable();
  await using foyer = await startFoyer({
    dataDir: folder.path,
    upstreamUrl: upstream.url,
    nodeOptions: inspector.nodeOptions,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    },
  });
  await using plain = await startFoyer({
    dataDir: plainFolder.path,
    upstreamUrl: upstream.url,
    nodeOptions: plainInspector.nodeOptions,
  });
  await using heap = await inspector.connect();
  await using plainHeap = await plainInspector.connect();
  const chats = {
    traced: chatEndpoint(foyer.url, await foyer.createAgent(script), script),
    plain: chatEndpoint(plain.url, await plain.createAgent(script), script),
  };
  const floods = {
    traced: chatEndpoint(foyer.url, await foyer.createAgent(short), short),
    plain: chatEndpoint(plain.url, await plain.createAgent(short), short),
  };
  const warmUp = { streams: 16, rampMs: 0, replies: 10 };
  await Promise.all([runStreams(floods.traced, warmUp), runStreams(floods.plain, warmUp)]);
  const before = { traced: await heap.retainedBytes(), plain: await plainHeap.retainedBytes() };
  await runStreams(floods.traced, flood);
  const during = await heap.retainedBytes();
  await runStreams(floods.plain, flood);
  // What the same replies retain without traces is not due to the collector.
  const grown = during - before.traced - ((await plainHeap.retainedBytes()) - before.plain);
  const results = await alternate({
    subject: async () => p99AddedTimeToFirstToken(await runStreams(chats.traced, load)),
    baseline: async () => p99AddedTimeToFirstToken(await runStreams(chats.plain, load)),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure: "Added to the first token while a collector of traces hangs, p99",
      measured: ms(subject),
      baseline: `${ms(baseline)} (without traces)`,
      ratio: times(subject / baseline),
      target: `<= ${times(1.05)}`,
      isMet: subject / baseline <= 1.05,
    },
    {
      figure: "The same: memory retained more than without traces",
      measured: `${(grown / 1_000_000).toFixed(1)} MB`,
      baseline: "-",
      ratio: "-",
      target: "<= 8 MB",
      isMet: grown <= 8_000_000,
    },
  ];
}
