import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ms, type Row, times } from "../figure.ts";
import { createForm, createSubmissionBody, fillDueDeliveries } from "../form-setup.ts";
import { startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { startReceiver } from "../receiver.ts";
import { alternate, median } from "../rounds.ts";

const JOBS = 10_000;
const SUBMISSIONS = 100;
const LIMIT = 1.2;

/**
 * How long after its first, refused attempt a delivery is retried (the schedule says one second), while another
 * receiver hangs with 10,000 deliveries, compared with no hanging receiver.
 */
export async function measureDeliveryHanging(): Promise<Row[]> {
  const results = await alternate({ subject: () => medianWait(JOBS), baseline: () => medianWait(0) });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure: "Wait for a second attempt, another receiver hangs with 10,000",
      measured: ms(subject),
      baseline: `${ms(baseline)} (none hangs)`,
      ratio: times(subject / baseline),
      target: `<= ${times(LIMIT)}`,
      isMet: subject / baseline <= LIMIT,
    },
  ];
}

async function medianWait(jobs: number): Promise<number> {
  using folder = temporaryFolder();
  // A different address, so that the two do not count as one receiver.
  await using hanging = await startReceiver();
  await using receiver = await startReceiver();
  const options = { dataDir: folder.path, env: { FOYER_WEBHOOK_SCHEDULE: "0s,1s,1m" } };
  const forms = await makeForms(options, receiver.url);
  const address = { kind: "sqlite", file: join(folder.path, "foyer.sqlite") } as const;
  await fillDueDeliveries(address, forms.hanging, `${hanging.url}/hang`, jobs);
  await using foyer = await startFoyer(options);
  for (let sent = 0; sent < SUBMISSIONS; sent++) {
    void submit(foyer.url, forms.twice);
    await wait(20);
  }
  return median((await receiver.hasTaken(SUBMISSIONS, 60_000)).waits);
}

async function makeForms(options: { dataDir: string }, url: string) {
  await using foyer = await startFoyer(options);
  const agentId = await foyer.createAgent();
  return {
    hanging: await createForm(foyer.url, agentId, "hanging"),
    twice: await createForm(foyer.url, agentId, "twice", { formWebhookUrl: `${url}/twice` }),
  };
}

async function submit(url: string, toolId: string) {
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", headers, body: createSubmissionBody(toolId) };
  const response = await fetch(`${url}/form-submissions/submit`, sent);
  if (!response.ok) throw new Error(`The form was not accepted: ${await response.text()}`);
}
