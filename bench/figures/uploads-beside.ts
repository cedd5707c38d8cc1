import { ms, type Row, times } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint, runStreams, type Timing } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, quantile, ROUNDS } from "../rounds.ts";

const LIMIT = 1.2;
const script = { tokens: 100, everyMs: 50, isStamped: true };
/** In each round, 50 streams have two replies of five seconds. */
const load = { streams: 50, rampMs: script.tokens * script.everyMs, replies: 2 };
/** 1,000 pictures in all rounds. */
const PER_SECOND = 1_000 / ROUNDS / 15;

/** The time to the first token that Foyer adds, while visitors upload pictures and without them. */
export async function measureUploadsBeside(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  const agentId = await foyer.createAgent(script);
  await foyer.allowAttachments(agentId);
  const chat = chatEndpoint(foyer.url, agentId, script);
  const uploads = new URL("../picture-uploads-process.ts", import.meta.url);
  const { subject, baseline } = await alternate({
    subject: async () => {
      await using _uploads = await startScript(uploads, foyer.url, agentId, String(PER_SECOND));
      return await runStreams(chat, load);
    },
    baseline: () => runStreams(chat, load),
  });
  const [beside, alone] = [p99(subject.flat()), p99(baseline.flat())];
  return [
    {
      figure: "Added time to the first token (p99), 50 streams, while 1,000 pictures are uploaded",
      measured: ms(beside),
      baseline: `${ms(alone)} (no uploads)`,
      ratio: times(beside / alone),
      target: `<= ${times(LIMIT)}`,
      isMet: beside / alone <= LIMIT,
    },
  ];
}

const p99 = (timings: readonly Timing[]) =>
  quantile(
    timings.map(({ addedToFirst }) => addedToFirst ?? Number.POSITIVE_INFINITY),
    0.99,
  );
