import { ms, type Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { cpuPerRequest } from "../http-load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";
import { createTriggers } from "../trigger-setup.ts";

const LIMIT = 0.6;

/**
 * The number of requests for the same CPU time, compared with one Fastify route that accepts the same JSON and discards
 * it.
 */
export async function measureTriggerEvents(): Promise<Row[]> {
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path });
  await using bare = await startScript(new URL("../baselines/bare-fastify.ts", import.meta.url));
  const agentId = await foyer.createAgent();
  const [trigger] = await createTriggers(foyer.url, agentId, 1);
  const body = JSON.stringify({
    agentId,
    triggerId: trigger?.id,
    triggerName: "Welcome bubble 1",
    triggerType: "time_on_page",
    actionType: "show_bubble",
    eventType: "fired",
    sessionId: "0b0c3a3e-visitor",
    pagePath: "/pricing/team",
  });
  // As many concurrent pages as a busy site has.
  const load = { seconds: 3, headers: {}, body, connections: 50 };
  const results = await alternate({
    subject: () => cpuPerRequest(foyer, "/triggers/event", load),
    baseline: () => cpuPerRequest(bare, "/events", load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  const share = baseline / subject;
  return [
    {
      figure: "CPU of a trigger event, durable and counted",
      measured: ms(subject),
      baseline: `${ms(baseline)} (bare Fastify)`,
      ratio: `${Math.round(share * 100)} % of its requests`,
      target: `>= ${LIMIT * 100} %`,
      isMet: share >= LIMIT,
    },
  ];
}
