import type { Row } from "../figure.ts";
import { createForm, createSubmissionBody } from "../form-setup.ts";
import { startFoyer } from "../foyer-process.ts";
import { requestsPerSecond } from "../http-load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";

const LIMIT = 0.4;

/**
 * Submissions per second, each durable before its response, compared with one Fastify route with one durable insert.
 */
export async function measureFormSubmit(): Promise<Row[]> {
  using folder = temporaryFolder();
  using bareFolder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path });
  const toolId = await createForm(foyer.url, await foyer.createAgent(), "contact");
  await using bare = await startScript(new URL("../baselines/durable-insert.ts", import.meta.url), bareFolder.path);
  const load = { seconds: 3, headers: {}, body: createSubmissionBody(toolId) };
  const results = await alternate({
    subject: () => requestsPerSecond(foyer, "/form-submissions/submit", load),
    baseline: () => requestsPerSecond(bare, "/form-submissions/submit", load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure: "Form submissions, durable",
      measured: `${Math.round(subject)} a second`,
      baseline: `${Math.round(baseline)} (bare Fastify, one durable insert)`,
      ratio: `${Math.round((subject / baseline) * 100)} %`,
      target: `>= ${LIMIT * 100} %`,
      isMet: subject / baseline >= LIMIT,
    },
  ];
}
