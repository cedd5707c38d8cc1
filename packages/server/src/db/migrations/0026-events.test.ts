import { sql } from "kysely";
import { expect, it } from "vitest";
import { onBothDatabases } from "../../../../../test/databases.ts";
import { migrate } from "../migrate.ts";
import { openDatabase } from "../open.ts";

onBothDatabases("migrating deliveries into the general outbox", (createDatabase) => {
  it("keeps every delivery and attempt, and their references", async () => {
    const database = await createDatabase({ isEmpty: true });
    const opened = openDatabase(database.address, () => {});
    const { db } = opened;
    await migrate(opened, "0025-answers");
    await sql`insert into organizations (id, name, slug, plan, "createdAt") values ('org_1', 'A', 'a', 'pro', ${new Date().toISOString()})`.execute(
      db,
    );
    await sql`insert into agents (id, "organizationId", name, slug, temperature, widget, "allowedOrigins",
      "allowedImageHosts", "requireIdentity", "identitySecret", "createdAt", "updatedAt")
      values ('agent_1', 'org_1', 'A', 'a', 50, '{}', '[]', '[]', 0, 's', 1, 1)`.execute(db);
    for (const n of [1, 2]) {
      await sql`insert into submissions (id, "organizationId", "agentId", "toolId", "toolName", "executionMode",
        "formData", "fieldsCompleted", "formInstanceId", status, "createdAt", "updatedAt")
        values (${`sub_${n}`}, 'org_1', 'agent_1', 'tool_1', 'lead', 'webhook', '{}', '[]', 'i', 'pending', 1, 1)`.execute(
        db,
      );
      await sql`insert into deliveries (id, "submissionId", position, purpose, type, target, host, state, attempts,
        "attemptsBefore", "dueAt", fence, "createdAt")
        values (${`delivery_${n}`}, ${`sub_${n}`}, 0, 'webhook', 'webhook', '{}', 'h', 'pending', 1, 0, 5, 3, 1)`.execute(
        db,
      );
      await sql`insert into "deliveryAttempts" ("deliveryId", number, "startedAt", "durationMs", status, error, detail, response)
        values (${`delivery_${n}`}, 1, 2, 3, 500, 'HTTP 500', 'No.', 'body')`.execute(db);
    }

    await sql`insert into "idempotencyKeys" (id, "agentId", "requestHash", answer, "createdAt")
      values ('key_1', 'agent_1', 'h', '{}', 1)`.execute(db);

    expect((await migrate(opened))[0]).toBe("0026-events");

    expect(await db.selectFrom("idempotencyKeys").selectAll().execute()).toMatchObject([{ id: "key_1", answer: "{}" }]);

    const deliveries = await db.selectFrom("deliveries").selectAll().orderBy("id").execute();
    expect(deliveries).toMatchObject([
      {
        id: "delivery_1",
        kind: "submission",
        submissionId: "sub_1",
        state: "pending",
        attempts: 1,
        dueAt: 5,
        fence: 3,
      },
      { id: "delivery_2", kind: "submission", submissionId: "sub_2", webhookId: null, eventId: null },
    ]);
    const attempts = db.selectFrom("deliveryAttempts").selectAll().orderBy("deliveryId");
    expect(await attempts.execute()).toMatchObject([
      { deliveryId: "delivery_1", number: 1, status: 500, response: "body" },
      { deliveryId: "delivery_2" },
    ]);
    await db.deleteFrom("submissions").where("id", "=", "sub_1").execute();
    expect((await attempts.execute()).map(({ deliveryId }) => deliveryId)).toEqual(["delivery_2"]);
    await expect(
      db.updateTable("deliveries").set({ submissionId: "sub_9" }).where("id", "=", "delivery_2").execute(),
    ).rejects.toThrow();
    await db.destroy();
    await database.drop();
  });
});
