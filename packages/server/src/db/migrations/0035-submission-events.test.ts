import { sql } from "kysely";
import { expect, it } from "vitest";
import { onBothDatabases } from "../../../../../test/databases.ts";
import { migrate } from "../migrate.ts";
import { openDatabase } from "../open.ts";

onBothDatabases("migrating events about form submissions", (createDatabase) => {
  it("keeps events of stored submissions, deletes the others, and from then on deletes events with their submission", async () => {
    const database = await createDatabase({ isEmpty: true });
    const opened = openDatabase(database.address, () => {});
    const { db } = opened;
    await migrate(opened, "0032-delivery-leases");
    await sql`insert into organizations (id, name, slug, plan, "createdAt") values ('org_1', 'A', 'a', 'pro', 'now')`.execute(
      db,
    );
    await sql`insert into agents (id, "organizationId", name, slug, temperature, widget, "allowedOrigins",
      "allowedImageHosts", "requireIdentity", "identitySecret", "createdAt", "updatedAt")
      values ('agent_1', 'org_1', 'A', 'a', 50, '{}', '[]', '[]', 0, 's', 1, 1)`.execute(db);
    await sql`insert into submissions (id, "organizationId", "agentId", "toolId", "toolName", "executionMode",
      "formData", "fieldsCompleted", "formInstanceId", status, "createdAt", "updatedAt")
      values ('sub_1', 'org_1', 'agent_1', 'tool_1', 'lead', 'webhook', '{}', '[]', 'i', 'pending', 1, 1)`.execute(db);
    const events = [
      ["evt_1", "form.submitted", { submissionId: "sub_1", formData: { email: "ada@example.com" } }],
      ["evt_2", "form.delivery_failed", { submissionId: "sub_1" }],
      ["evt_3", "form.submitted", { submissionId: "sub_deleted" }],
      ["evt_4", "message.created", { content: "sub_1" }],
    ] as const;
    for (const [id, type, data] of events) {
      await sql`insert into events (id, "organizationId", "agentId", type, data, "createdAt")
        values (${id}, 'org_1', 'agent_1', ${type}, ${JSON.stringify(data)}, 1)`.execute(db);
    }

    expect(await migrate(opened)).toContain("0035-submission-events");

    const left = db.selectFrom("events").select(["id", "submissionId"]).orderBy("id");
    expect(await left.execute()).toEqual([
      { id: "evt_1", submissionId: "sub_1" },
      { id: "evt_2", submissionId: "sub_1" },
      { id: "evt_4", submissionId: null },
    ]);
    await db.deleteFrom("submissions").where("id", "=", "sub_1").execute();
    expect(await left.execute()).toEqual([{ id: "evt_4", submissionId: null }]);
    await db.destroy();
    await database.drop();
  });
});
