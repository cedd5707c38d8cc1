import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../postgres-server.ts";
import { faultRun } from "./fault-run.ts";
import { createFaultSite, createForm, type FaultSite, type ServerProcess } from "./fault-site.ts";
import { startLoad } from "./submission-load.ts";

const { timeout } = faultRun;
let postgres: PostgresServer;
let site: FaultSite;
let serverProcess: ServerProcess;
let toolId: string;

beforeAll(async () => {
  postgres = await startPostgres();
  const database = { address: { kind: "postgres", url: postgres.url } as const, drop: async () => {} };
  site = await createFaultSite(database);
  serverProcess = await site.start({ env: { FOYER_LOG_LEVEL: "error" } });
  toolId = await createForm(serverProcess, site.receiver.url);
});
afterAll(async () => {
  await site.remove();
  await postgres.stop();
});

/** Repeats `harm` while clients submit. In between, the server recovers by itself. */
async function runUnderLoad(rounds: number, harm: () => Promise<unknown>) {
  site.receiver.received.splice(0);
  const load = startLoad(serverProcess, toolId, 4);
  const recovers = (count: number) => expect.poll(() => load.acknowledged.length).toBeGreaterThan(count);
  await recovers(0);
  for (let round = 0; round < rounds; round++) {
    await harm();
    await recovers(load.acknowledged.length + 10);
  }
  await load.stop();
  return load;
}

async function expectEverythingStored(load: Awaited<ReturnType<typeof runUnderLoad>>) {
  for (const status of load.statuses.keys()) expect(status, serverProcess.output.stdout).toBeOneOf([200, 503]);
  await site.endLeases();
  await expect.poll(site.open).toEqual([]);
  const delivered = new Set(site.receiver.received.map(({ headers }) => String(headers["webhook-id"])));
  expect(load.acknowledged.filter((id) => !delivered.has(id))).toEqual([]);
  const successful = await site.db
    .selectFrom("submissions")
    .select("id")
    .where("status", "=", "webhook_success")
    .execute();
  const ids = new Set(successful.map(({ id }) => id));
  expect(load.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
}

it("the server survives its PostgreSQL connections being closed under load", { timeout }, async () => {
  const load = await runUnderLoad(faultRun.isLong ? 50 : 5, site.cutOff);
  await expectEverythingStored(load);
});

it("the server survives PostgreSQL being killed and restarted under load", { timeout }, async () => {
  const load = await runUnderLoad(faultRun.isLong ? 5 : 1, async () => {
    await postgres.kill();
    await postgres.start();
  });
  await expectEverythingStored(load);
});
