import { expect, it } from "vitest";
import { startReceiver } from "../webhook-receiver.ts";
import { faultRun } from "./fault-run.ts";
import { createFaultSite, createForm, submit } from "./fault-site.ts";

const { timeout } = faultRun;

it("a hanging receiver does not delay another one, however many deliveries wait for it", { timeout }, async () => {
  const site = await createFaultSite("SQLite", { FOYER_WEBHOOK_TIMEOUT: "5m", FOYER_SUBMIT_WAIT: "5m" });
  const hanging = await startReceiver();
  hanging.answer(() => {});
  try {
    const serverProcess = await site.start();
    const toolId = await createForm(serverProcess, site.receiver.url);
    const hangingToolId = await createForm(serverProcess, hanging.url);
    const { submissionId } = await submit(serverProcess, toolId);
    // Older deliveries, which come first in the queue. Some belong to visitors who are waiting for a response.
    await site.addJobs(submissionId, faultRun.isLong ? 10_000 : 2_000, { url: hanging.url, dueInMs: -60_000 });
    for (let visitor = 0; visitor < 50; visitor++) void submit(serverProcess, hangingToolId).catch(() => {});
    await hanging.hasReceived(32);
    await site.addJobs(submissionId, 500);
    await site.receiver.hasReceived(501);
    for (let visitor = 0; visitor < 20; visitor++) {
      expect(await submit(serverProcess, toolId)).toMatchObject({ webhookResult: { success: true } });
    }
    expect(hanging.received).toHaveLength(32);
    const delivered = new Set(site.receiver.received.map(({ headers }) => headers["webhook-id"]));
    await expect.poll(async () => (await site.open()).filter(({ submissionId: id }) => delivered.has(id))).toEqual([]);
  } finally {
    await site.remove();
    await hanging.stop();
  }
});
