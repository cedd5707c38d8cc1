import { ms, type Row, times } from "./figure.ts";
import { startFoyer } from "./foyer-process.ts";
import { chatEndpoint, completionEndpoint, type Endpoint, runStreams, type StreamLoad } from "./load.ts";
import { type BenchProcess, startScript, temporaryFolder } from "./processes.ts";
import { alternate, median } from "./rounds.ts";
import type { Script } from "./upstream-script.ts";
import { warmUp } from "./warm-up.ts";

/** Our CPU time for one reply compared with that of a bare pipe for the same reply; `limit` is the maximum ratio. */
export async function compareReplies(options: {
  figure: string;
  script: Script;
  load: StreamLoad;
  limit: number;
}): Promise<Row[]> {
  const { figure, script, load, limit } = options;
  await using upstream = await startScript(new URL("upstream-process.ts", import.meta.url));
  await using pipe = await startScript(new URL("baselines/pipe-server.ts", import.meta.url), upstream.url);
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  await warmUp(foyer, (fast) => completionEndpoint(pipe.url, fast));
  const chat = chatEndpoint(foyer.url, await foyer.createAgent(script), script);
  const results = await alternate({
    subject: () => cpuPerReply(foyer, chat, load),
    baseline: () => cpuPerReply(pipe, completionEndpoint(pipe.url, script), load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure,
      measured: ms(subject),
      baseline: `${ms(baseline)} (pipe)`,
      ratio: times(subject / baseline),
      target: `<= ${times(limit)}`,
      isMet: subject / baseline <= limit,
    },
  ];
}

/** CPU time of the process for one reply of this load, in milliseconds. */
export async function cpuPerReply(server: BenchProcess, endpoint: Endpoint, load: StreamLoad): Promise<number> {
  const before = server.cpuMs();
  await runStreams(endpoint, load);
  return (server.cpuMs() - before) / (load.streams * load.replies);
}
