import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { addStoredMetrics } from "./stored-metrics.ts";

onBothDatabases("the metrics of what is stored", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const readAll = async (registry: Registry) =>
    (await registry.metrics()).split("\n").filter((line) => /^foyer_stored_\w+\{/.test(line));

  it("count events by type and responses, with their bytes, at most once a minute", async () => {
    const { db } = server.deps;
    const owner = await server.createAccount();
    let now = Date.now();
    const registry = new Registry();
    addStoredMetrics(registry, server.deps, () => now);
    expect(await readAll(registry)).toEqual([
      'foyer_stored_rows{pool="idempotency_responses",type="response"} 0',
      'foyer_stored_bytes{pool="idempotency_responses",type="response"} 0',
    ]);
    const event = { organizationId: owner.organizationId, agentId: null, conversationId: null, submissionId: null };
    const rest = { sequence: null, position: null, createdAt: now };
    await db
      .insertInto("events")
      .values([
        { ...event, ...rest, id: "evt_1", type: "message.created", data: '{"content":"é"}' },
        { ...event, ...rest, id: "evt_2", type: "message.created", data: "{}" },
        { ...event, ...rest, id: "evt_3", type: "visitor.erased", data: "{}" },
      ])
      .execute();
    const response = { id: "key", agentId: null, requestHash: "hash", answer: '{"id":"1"}', createdAt: now };
    await db.insertInto("idempotencyKeys").values(response).execute();
    now += 59_999;
    expect(await readAll(registry)).toHaveLength(2);
    now += 1;
    expect((await readAll(registry)).sort()).toEqual([
      'foyer_stored_bytes{pool="events",type="message.created"} 18',
      'foyer_stored_bytes{pool="events",type="visitor.erased"} 2',
      'foyer_stored_bytes{pool="idempotency_responses",type="response"} 10',
      'foyer_stored_rows{pool="events",type="message.created"} 2',
      'foyer_stored_rows{pool="events",type="visitor.erased"} 1',
      'foyer_stored_rows{pool="idempotency_responses",type="response"} 1',
    ]);
    expect((await server.app.inject({ url: "/metrics" })).body).toContain('foyer_stored_rows{pool="events",');
  });
});
