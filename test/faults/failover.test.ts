import { afterAll, beforeAll, expect, it } from "vitest";
import { chat } from "../chat-client.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { promote, startPrimaryAndStandby } from "../postgres-standby.ts";
import { chunk, eventStream, startUpstream, type Upstream } from "../upstream.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, createForm, type FaultSite, type Life } from "./fault-site.ts";
import { startLoad } from "./submission-load.ts";

const { timeout } = faultRun;
let primary: PostgresServer;
let standby: PostgresServer;
let upstream: Upstream;
let site: FaultSite;
let life: Life;

beforeAll(async () => {
  ({ primary, standby } = await startPrimaryAndStandby());
  upstream = await startUpstream();
  const url = new URL(primary.url);
  url.searchParams.set("host", `${primary.folder},${standby.folder}`);
  url.searchParams.set("target_session_attrs", "read-write");
  site = await createFaultSite(
    { address: { kind: "postgres", url: url.href }, drop: async () => {} },
    { OPENAI_COMPATIBLE_BASE_URL: upstream.url },
  );
  life = await site.start();
});
afterAll(async () => {
  await site.remove();
  await upstream.stop();
  await standby.stop();
  await primary.stop();
});

it("a server continues on the promoted standby after its PostgreSQL primary was killed under load", {
  timeout,
}, async () => {
  const toolId = await createForm(life, site.receiver.url);
  const [during, after] = [await beginReply(), await beginReply()];
  const load = startLoad(life, toolId, 4);
  await expect.poll(() => load.acknowledged.length).toBeGreaterThan(20);

  await primary.kill();
  await expect.poll(async () => (await fetch(`${life.url}/readyz`)).status).toBe(503);
  during.finish();
  await during.stream.ended;
  expect(during.stream.events.map(({ type }) => type)).toContain("error");

  await promote(standby);
  const promotedAt = performance.now();
  await expect.poll(async () => (await fetch(`${life.url}/readyz`)).status, { interval: 20 }).toBe(200);
  console.log(`ready ${Math.round(performance.now() - promotedAt)} ms after the promotion`);
  const before = load.acknowledged.length;
  await expect.poll(() => load.acknowledged.length).toBeGreaterThan(before + 20);
  await load.stop();
  after.finish();
  await after.stream.ended;
  expect(after.stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "end_turn" });

  for (const status of load.statuses.keys()) expect(status).toBeOneOf([200, 503]);
  await site.endLeases();
  await expect.poll(site.open).toEqual([]);
  const stored = await site.db.selectFrom("submissions").select(["id", "status"]).execute();
  expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(["webhook_success"]));
  const ids = new Set(stored.map(({ id }) => id));
  expect(load.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  const delivered = site.receiver.received.map(({ headers }) => String(headers["webhook-id"]));
  expect(new Set(delivered)).toEqual(ids);
});

/** A reply whose model has started to write. `finish` ends it. */
async function beginReply() {
  const end = Promise.withResolvers<void>();
  upstream.script(async (exchange) => {
    const { send, end: close } = eventStream(exchange);
    send(chunk({ content: "Half a reply" }));
    await end.promise;
    send(chunk({ content: ", and the rest" }, "stop"));
    send("[DONE]");
    close();
  });
  const agent = { name: "Slow", model: "openai-compatible/test" };
  const { data } = await call<{ data: { id: string } }>(life, "POST", "/agents", agent);
  const stream = await chat(life.url, { agentId: data.id, messages: [{ role: "user", content: "Hello" }] });
  await stream.until("content_block_delta");
  return { stream, finish: end.resolve };
}
