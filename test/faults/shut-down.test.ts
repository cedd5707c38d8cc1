import { expect, it } from "vitest";
import { openChat } from "../chat-client.ts";
import { chunk, eventStream, startUpstream } from "../upstream.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, createForm, type FaultSite, submit } from "./fault-site.ts";

const { timeout } = faultRun;

const env = { FOYER_WEBHOOK_TIMEOUT: "30s", FOYER_SUBMIT_WAIT: "20s", FOYER_DRAIN_TIMEOUT: "1s" };

async function onSite(more: Record<string, string>, test: (site: FaultSite) => Promise<void>) {
  const site = await createFaultSite("SQLite", { ...env, ...more });
  try {
    await test(site);
  } finally {
    await site.remove();
  }
}

const inProgress = { success: true, webhookResult: { success: false, error: "Delivery in progress" } };

/** Returned deliveries are due immediately, not when a lease would have ended. */
async function isDeliveredByTheNext(site: FaultSite, count: number) {
  expect((await site.open()).filter(({ dueInMs }) => dueInMs > 0)).toEqual([]);
  site.receiver.answer((_, response) => response.end("ok"));
  await site.serveHere(() => expect.poll(site.open).toEqual([]));
  const ids = site.receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(count);
}

it("a shutdown returns running deliveries to the outbox, including the latest", { timeout }, () =>
  onSite({}, async (site) => {
    const serverProcess = await site.start();
    const toolId = await createForm(serverProcess, site.receiver.url);
    site.receiver.answer(() => {});
    const answers = Array.from({ length: 40 }, () => submit(serverProcess, toolId));
    // 32 deliveries are sent to one host concurrently. The others wait for a slot.
    await site.receiver.hasReceived(32);
    serverProcess.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${serverProcess.url}/readyz`)).status).toBe(503);
    answers.push(submit(serverProcess, toolId));
    for (const answer of answers) expect(await answer).toMatchObject(inProgress);
    expect((await serverProcess.exited).code).toBe(0);
    await isDeliveredByTheNext(site, 41);
  }),
);

it("a shutdown returns the post actions that a webhook unblocked", { timeout }, () =>
  onSite({}, async (site) => {
    const serverProcess = await site.start();
    const { url } = site.receiver;
    const toolId = await createForm(serverProcess, `${url}/hook`, [`${url}/action`]);
    site.receiver.answer(({ path }, response) => void (path === "/hook" && response.end()));
    const answer = submit(serverProcess, toolId);
    await site.receiver.hasReceived(2);
    serverProcess.kill("SIGTERM");
    expect(await answer).toMatchObject({
      webhookResult: { success: true },
      postActionResults: [{ type: "webhook", success: false }],
    });
    expect((await serverProcess.exited).code).toBe(0);
    await isDeliveredByTheNext(site, 2);
    expect(site.receiver.bodies("/hook")).toHaveLength(1);
  }),
);

it("a shutdown returns deliveries of a form submitted while a reply is running, which it ends after the drain timeout", {
  timeout,
}, async () => {
  const upstream = await startUpstream();
  upstream.script((exchange) => eventStream(exchange).send(chunk({ content: "Endless" })));
  const model = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
  await onSite({ ...model, FOYER_SUBMIT_WAIT: "300ms", FOYER_DRAIN_TIMEOUT: "2s" }, async (site) => {
    const serverProcess = await site.start();
    const toolId = await createForm(serverProcess, site.receiver.url);
    const agent = await call<{ data: { id: string } }>(serverProcess, "POST", "/agents", { name: "Talker" });
    const stream = await openChat(serverProcess.url, {
      agentId: agent.data.id,
      messages: [{ role: "user", content: "Go" }],
    });
    await stream.until("content_block_delta");
    site.receiver.answer(() => {});
    serverProcess.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${serverProcess.url}/readyz`)).status).toBe(503);
    expect(await submit(serverProcess, toolId)).toMatchObject(inProgress);
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "aborted" });
    expect((await serverProcess.exited).code).toBe(0);
    const [job] = await site.open();
    expect(await site.outcome(job?.submissionId ?? "")).toEqual({ status: "pending", attempts: [] });
    await isDeliveredByTheNext(site, 1);
  });
  await upstream.stop();
});
