import { expect, it } from "vitest";
import { onBothDatabases } from "../../../../../test/databases.ts";
import { openForms } from "../../../../../test/form-client.ts";
import { createAgentService } from "../../agents/service.ts";
import { createOutbox } from "../../outbox/outbox.ts";
import { createFormFinder } from "../../tools/form/form-finder.ts";
import { createMailRecipients } from "../../tools/form/mail-recipients.ts";
import { createSecretService } from "../../tools/secrets/service.ts";
import { createWebhookSecrets } from "../../tools/secrets/webhook-secrets.ts";
import { createToolService } from "../../tools/service.ts";
import { createDrafts } from "../../versions/drafts.ts";
import { createForms } from "../forms-module.ts";

onBothDatabases("a request for a form whose agent is being deleted", (createDatabase) => {
  it("gets 404 and leaves nothing behind", async () => {
    const database = await createDatabase();
    const client = await openForms({ database });
    const { deps } = client.server;
    const drafts = createDrafts(deps);
    const agents = createAgentService(deps, { drafts, onChange() {}, onDelete() {} });
    const mailRecipients = createMailRecipients(deps);
    const secrets = createSecretService(deps);
    const tools = createToolService(deps, { agents, drafts, mailRecipients, secrets }, () => {});
    const services = {
      agents,
      mailRecipients,
      tools,
      formFinder: createFormFinder(deps.db),
      webhookSecrets: createWebhookSecrets(deps),
      outbox: createOutbox(deps),
      recordEvents: async () => {},
    };
    const { submitForm, analytics } = createForms(deps, services);
    const { id } = await client.createForm({ formWebhookUrl: `${client.receiver.url}/lead` });
    const { tool } = await submitForm.formFor(id, undefined);
    await client.account.call("DELETE", `/agents/${client.agentId}`);

    const notFound = { code: "NOT_FOUND", status: 404 };
    const input = { toolId: id, formData: {}, fieldsCompleted: [] };
    await expect(submitForm.submit(tool, input, { files: new Map() })).rejects.toMatchObject(notFound);
    const event = { toolId: id, eventType: "impression", formInstanceId: "i" } as const;
    await expect(analytics.record(tool, event)).rejects.toMatchObject(notFound);
    expect(client.receiver.received).toEqual([]);
    for (const table of ["submissions", "deliveries", "formInstances", "formDays"] as const) {
      expect(await deps.db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    await client.stop();
    await database.drop();
  });
});
