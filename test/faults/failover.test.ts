import { afterAll, beforeAll, expect, it } from "vitest";
import { openChat } from "../chat-client.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { promote, startPrimaryAndStandby } from "../postgres-standby.ts";
import { chunk, type Exchange, eventStream, startUpstream, type Upstream } from "../upstream.ts";
import { answerLoad } from "./chat-load.ts";
import { checkLoad, createDeliveredIds } from "./endurance-check.ts";
import { createEnduranceLoad } from "./endurance-load.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, type FaultSite, type ServerProcess } from "./fault-site.ts";

const { timeout, isLong } = faultRun;
/** After the standby accepts writes. The short form, which shares its machine with other tests, only waits for it. */
const READY_WITHIN_MS = isLong ? 10_000 : 30_000;
/** The number of deliveries that are due when the primary is killed. */
const DUE = 100;

let primary: PostgresServer;
let standby: PostgresServer;
let upstream: Upstream;
let site: FaultSite;
let serverProcess: ServerProcess;

beforeAll(async () => {
  ({ primary, standby } = await startPrimaryAndStandby());
  upstream = await startUpstream();
  const url = new URL(primary.url);
  url.searchParams.set("host", `${primary.folder},${standby.folder}`);
  url.searchParams.set("target_session_attrs", "read-write");
  site = await createFaultSite(
    { address: { kind: "postgres", url: url.href }, drop: async () => {} },
    { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" },
  );
  // Replies are held as long as the failover takes.
  serverProcess = await site.start({ env: { FOYER_MODEL_IDLE_TIMEOUT: "5m" } });
});
afterAll(async () => {
  await site.remove();
  await upstream.stop();
  await standby.stop();
  await primary.stop();
});

it("a server continues on the promoted standby after its PostgreSQL primary was killed under load", {
  timeout: 3 * timeout,
}, async () => {
  const held = holdReplies();
  const [during, after] = [await beginReply(), await beginReply()];
  const load = await createEnduranceLoad(site, serverProcess, "failover");
  const stop = new AbortController();
  const running = load.run(serverProcess, () => serverProcess, stop.signal);
  await load.hasAcknowledged(10);
  const due = await site.addJobs(load.submissions.acknowledged[0] ?? "", DUE);

  await primary.kill();
  await expect.poll(async () => (await fetch(`${serverProcess.url}/readyz`)).status).toBe(503);
  held[0]?.();
  await during.ended;
  expect(during.events.map(({ type }) => type)).toContain("error");
  expect(during.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "error" });

  await promote(standby);
  const ready = { timeout: READY_WITHIN_MS, interval: 20 };
  await expect.poll(async () => (await fetch(`${serverProcess.url}/readyz`)).status, ready).toBe(200);
  await load.hasAcknowledged(10);
  stop.abort();
  await running;
  held[1]?.();
  await after.ended;
  expect(after.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "end_turn" });
  await load.finish(serverProcess);

  load.submissions.acknowledged.push(...due);
  await checkLoad(site, { serverProcess, load, delivered: createDeliveredIds(site) });
  for (const { messageId, reply } of load.chats.turns) {
    if (reply) expect(reply.stopReason, messageId).toBeOneOf(["end_turn", "aborted", "error"]);
  }
});

/**
 * Scripts the model. Replies of the model `held` stop in the middle. @returns functions that continue them, in order
 */
function holdReplies(): Array<() => void> {
  const held: Array<() => void> = [];
  upstream.script(async (exchange: Exchange) => {
    if (JSON.parse(exchange.body).model !== "held") return answerLoad(exchange);
    const { send, end } = eventStream(exchange);
    send(chunk({ content: "Half a reply" }));
    await new Promise<void>((resolve) => held.push(resolve));
    send(chunk({ content: ", and the rest" }, "stop"));
    send("[DONE]");
    end();
  });
  return held;
}

async function beginReply() {
  const agent = { name: "Slow", model: "openai-compatible/held" };
  const { data } = await call<{ data: { id: string } }>(serverProcess, "POST", "/agents", agent);
  const stream = await openChat(serverProcess.url, {
    agentId: data.id,
    messages: [{ role: "user", content: "Hello" }],
  });
  await stream.until("content_block_delta");
  return stream;
}
