import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../test/databases.ts";
import { type FormClient, openForms } from "../../../test/form-client.ts";
import { deleteRemains } from "./agent-deletion.ts";
import { createAgentStore } from "./agents/store.ts";
import { inTransaction } from "./db/transaction.ts";

onBothDatabases("a deleted agent", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database, env: { FOYER_WEBHOOK_SCHEDULE: "0s,1h" } });
  });
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  it("disappears with everything it has for every reader before its rows are deleted", async () => {
    const { account, agentId, db, server } = forms;
    const form = await forms.createForm({ formWebhookUrl: `${forms.receiver.url}/lead` });
    forms.receiver.answer((_, response) => response.writeHead(500).end());
    const { submissionId } = (await forms.submit(form.id)).body;
    const payload = { agentId, messages: [{ role: "user", content: "Hello" }] };
    await server.app.inject({ method: "POST", url: "/chat", payload });
    const { id: conversationId } = await db.selectFrom("conversations").select("id").executeTakeFirstOrThrow();

    // Simulates a process that was killed right after it hid the agent.
    expect(
      await inTransaction(db, (trx) =>
        createAgentStore(db).hide(trx, { organizationId: account.organizationId, id: agentId }, Date.now()),
      ),
    ).toBe(true);
    expect(await db.selectFrom("conversations").select("id").execute()).toHaveLength(1);
    for (const path of [
      `/agents/${agentId}`,
      `/conversations?agentId=${agentId}`,
      `/conversations/${conversationId}`,
      `/tools/${form.id}`,
      `/tools?agentId=${agentId}`,
      `/form-submissions/${submissionId}`,
      `/form-submissions?agentId=${agentId}`,
    ]) {
      expect((await account.call("GET", path)).status, path).toBe(404);
    }
    expect((await account.call("DELETE", `/agents/${agentId}`)).status).toBe(404);
    expect((await account.call("DELETE", `/conversations/${conversationId}`)).status).toBe(404);
    expect((await account.call("POST", `/form-submissions/${submissionId}/retry`)).status).toBe(404);
    expect((await account.call("GET", "/agents")).body.data).toEqual([]);
    const listed = (await account.call("GET", "/form-submissions")).body;
    expect([listed.submissions, listed.pagination.total]).toEqual([[], 0]);
    expect((await server.app.inject({ method: "POST", url: "/chat", payload })).statusCode).toBe(404);
    expect((await account.call("POST", "/agents", { name: "Harbour" })).body.data.slug).toBe("harbour");

    // The cleanup after a restart calls this function.
    expect(await deleteRemains(db)).toBe(1);
    for (const table of ["conversations", "messages", "submissions", "deliveries", "deliveryAttempts"] as const) {
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    expect(await db.selectFrom("agents").select("id").where("id", "=", agentId).execute()).toEqual([]);
  });
});
