import { ms, type Row, times } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatOf, keepStreams } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median, quantile } from "../rounds.ts";
import { createUploads } from "../upload-pages.ts";

const FIRST_TOKEN_LIMIT_MS = 10;
const HOLD_LIMIT_MS = 20;
const script = { tokens: 20, everyMs: 20, isStamped: true };
const load = { streams: 5, rampMs: 400, replies: 8 };

/**
 * How visitors of one agent are affected while pages are added to another, compared with the same server without
 * uploads.
 */
export async function ingestBeside(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  const holds = new URL("../../test/print-loop-holds.ts", import.meta.url);
  await using foyer = await startFoyer({
    dataDir: folder.path,
    upstreamUrl: upstream.url,
    nodeOptions: [`--import=${holds.href}`],
  });
  const chat = chatOf(foyer.url, await foyer.createAgent(script), script);
  const uploads = createUploads(foyer.url, await foyer.createAgent());
  const round = async () => {
    await foyer.ask("SIGUSR2");
    const timings = await keepStreams(chat, load);
    const added = timings.map(({ addedToFirst }) => addedToFirst ?? Number.POSITIVE_INFINITY);
    const [, json = "{}"] = /loop-held (.*)\n/.exec(await foyer.ask("SIGUSR2")) ?? [];
    return { added: quantile(added, 0.95), hold: JSON.parse(json) as { wall: number; cpu: number } };
  };
  const results = await alternate({
    async subject() {
      const done = new AbortController();
      const sending = uploads.sendUntil(done.signal);
      const measured = await round();
      done.abort();
      await sending;
      return measured;
    },
    baseline: round,
  });
  const of = (side: "subject" | "baseline", value: (measured: Awaited<ReturnType<typeof round>>) => number) =>
    median(results[side].map(value));
  const [slow, usual] = [of("subject", ({ added }) => added), of("baseline", ({ added }) => added)];
  const [held, without] = [of("subject", ({ hold }) => hold.cpu), of("baseline", ({ hold }) => hold.cpu)];
  const wall = of("subject", ({ hold }) => hold.wall);
  return [
    {
      figure: "Time to first token (p95) while pages are ingested",
      measured: ms(slow),
      baseline: `${ms(usual)} (the same, no uploads)`,
      ratio: times(slow / usual),
      target: `<= ${FIRST_TOKEN_LIMIT_MS} ms more`,
      isMet: slow - usual <= FIRST_TOKEN_LIMIT_MS,
    },
    {
      figure: `Longest hold of the event loop meanwhile, CPU (${ms(wall)} on the clock)`,
      measured: ms(held),
      baseline: `${ms(without)} (the same, no uploads)`,
      ratio: times(held / without),
      target: `<= ${HOLD_LIMIT_MS} ms`,
      isMet: held <= HOLD_LIMIT_MS,
    },
  ];
}
