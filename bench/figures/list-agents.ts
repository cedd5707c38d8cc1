import { ms, type Row } from "../figure.ts";
import { authorized, startFoyer } from "../foyer-process.ts";
import { cpuPerRequest } from "../http-load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";

const AGENTS = 10;
const LIMIT = 0.5;
const load = { seconds: 3, headers: authorized };

/**
 * The number of requests for the same CPU time, compared with one Fastify route that returns the same body from memory.
 */
export async function measureAgentList(): Promise<Row[]> {
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path });
  for (let index = 0; index < AGENTS; index++) await foyer.createAgent();
  const answer = await fetch(`${foyer.url}/agents`, { headers: authorized });
  const body = await answer.text();
  await using bare = await startScript(new URL("../baselines/bare-fastify.ts", import.meta.url), body);
  const results = await alternate({
    subject: () => cpuPerRequest(foyer, "/agents", load),
    baseline: () => cpuPerRequest(bare, "/agents", load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  const share = baseline / subject;
  return [
    {
      figure: "CPU of GET /agents with a key, 10 agents",
      measured: ms(subject),
      baseline: `${ms(baseline)} (bare Fastify)`,
      ratio: `${Math.round(share * 100)} % of its requests`,
      target: `>= ${LIMIT * 100} %`,
      isMet: share >= LIMIT,
    },
  ];
}
