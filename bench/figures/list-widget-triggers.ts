import { ms, type Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { cpuPerRequest } from "../http-load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";
import { createTriggers } from "../trigger-setup.ts";

const TRIGGERS = 10;
const LIMIT = 0.7;
const load = { seconds: 3, headers: {} };

/**
 * The number of requests for the same CPU time, compared with one Fastify route that returns the same body from memory.
 */
export async function measureTriggerListing(): Promise<Row[]> {
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path });
  const agentId = await foyer.createAgent();
  await createTriggers(foyer.url, agentId, TRIGGERS);
  const path = `/triggers/widget/${agentId}`;
  const body = await (await fetch(foyer.url + path)).text();
  await using bare = await startScript(new URL("../baselines/bare-fastify.ts", import.meta.url), body);
  const results = await alternate({
    subject: () => cpuPerRequest(foyer, path, load),
    baseline: () => cpuPerRequest(bare, "/agents", load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  const share = baseline / subject;
  return [
    {
      figure: `CPU of a page's listing of ${TRIGGERS} triggers`,
      measured: ms(subject),
      baseline: `${ms(baseline)} (bare Fastify)`,
      ratio: `${Math.round(share * 100)} % of its requests`,
      target: `>= ${LIMIT * 100} %`,
      isMet: share >= LIMIT,
    },
  ];
}
