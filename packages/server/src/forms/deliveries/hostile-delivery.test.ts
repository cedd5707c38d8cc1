import { expect, it, onTestFinished } from "vitest";
import { type FormClient, openForms } from "../../../../../test/form-client.ts";
import { hostileAnswers, hostileUrls } from "../../../../../test/hostile-addresses.ts";
import { openOutbound, startCanary } from "../../../../../test/outbound-servers.ts";
import type { SubmissionRow } from "../../db/tables/forms.ts";
import { createMailRecipients } from "../../tools/form/mail-recipients.ts";
import { createWebhookSecrets } from "../../tools/secrets/webhook-secrets.ts";
import type { SubmissionDelivery } from "../submission-delivery.ts";
import { createDeliverySender } from "./send-delivery.ts";

/** Starts a server that other machines can reach, so addresses from users must not lead into its own network. */
async function openPublicServer(
  env: Record<string, string> = { BASE_URL: "https://chat.example.com" },
): Promise<FormClient> {
  const forms = await openForms({ env: { FOYER_WEBHOOK_SCHEDULE: "0s", FOYER_LIMIT_SUBMIT_PER_IP: "0", ...env } });
  onTestFinished(() => forms.stop());
  return forms;
}

const message = "New: {{name}}";
/** Every part of a form that contains a URL. */
const waysOut: Record<string, (url: string) => object> = {
  formWebhookUrl: (url) => ({ formWebhookUrl: url }),
  "webhook url": (url) => ({ formPostActions: [{ type: "webhook", url }] }),
  "webhook webhookUrl": (webhookUrl) => ({ formPostActions: [{ type: "webhook", webhookUrl }] }),
  "team_chat webhookUrl": (webhookUrl) => ({ formPostActions: [{ type: "team_chat", webhookUrl, message }] }),
  "slack webhookUrl": (webhookUrl) => ({ formPostActions: [{ type: "slack", webhookUrl, message }] }),
};
const isName = (url: string) =>
  Object.keys(hostileAnswers).some((name) => url === `http://${name}:${new URL(url).port}/`);
/** Lists only http URLs, because the guard treats both schemes the same. */
const listLiteralUrls = (port: number) =>
  hostileUrls(port).filter((url) => !url.startsWith("https:") && !(URL.canParse(url) && isName(url)));

it("a form refuses hostile addresses in every setting that sends data out", async () => {
  const forms = await openPublicServer();
  const { port, seen } = await startCanary();
  const { agentId, account } = forms;
  const form = { agentId, name: "a_form", description: "d", executionType: "form", inputSchema: { type: "object" } };
  const formSchema = { fields: [{ name: "a", label: "A", type: "text" }] };
  const urls = listLiteralUrls(port);
  expect(urls.length).toBeGreaterThanOrEqual(200);
  const known = await forms.createForm();
  for (const [way, more] of Object.entries(waysOut)) {
    for (const url of urls) {
      const made = await account.call("POST", "/tools", { ...form, formSchema, ...more(url) });
      expect(made.status, `${way} ${url}`).toBe(400);
    }
    const changed = await account.call("PUT", `/tools/${known.id}`, more(`http://127.0.0.1:${port}/`));
    expect(changed.status, way).toBe(400);
  }
  expect(seen.connections).toBe(0);
}, 60_000);

it("a delivery does not call a hostile address that is already in the database", async () => {
  const forms = await openPublicServer();
  const { port, seen } = await startCanary();
  const urls = [...listLiteralUrls(port), `http://localhost:${port}/`];
  const { id } = await forms.createForm();
  for (const url of urls) {
    const formPostActions = JSON.stringify([
      { type: "webhook", url },
      { type: "webhook", webhookUrl: url, payload: { a: "{{name}}" } },
      { type: "team_chat", webhookUrl: url, message },
      { type: "slack", webhookUrl: url, message },
    ]);
    await forms.db.updateTable("tools").set({ formWebhookUrl: url, formPostActions }).where("id", "=", id).execute();
    const { body } = await forms.submit(id);
    expect(body.webhookResult, url).toMatchObject({ success: false, error: "Not reachable" });
    expect(body.postActionResults, url).toMatchObject(
      ["webhook", "webhook", "team_chat", "slack"].map((type) => ({ type, success: false })),
    );
  }
  const attempts = await forms.db.selectFrom("deliveryAttempts").select(["error", "response"]).execute();
  expect(attempts).toHaveLength(urls.length * 5);
  expect([...new Set(attempts.map(({ error }) => error))]).toEqual(["Not reachable"]);
  const { submissions } = (await forms.account.call("GET", "/form-submissions?limit=1")).body;
  const retried = await forms.account.call("POST", `/form-submissions/${submissions[0].id}/retry`);
  expect(retried.body.status).toBe("webhook_failed");
  expect(seen.connections).toBe(0);
}, 60_000);

it("a delivery does not call a host name that resolves to a hostile address", async () => {
  const forms = await openPublicServer();
  const { port, seen } = await startCanary();
  const outbound = openOutbound({ resolve: async (name) => hostileAnswers[name] ?? [] });
  const send = createDeliverySender(
    { ...forms.server.deps, outbound },
    {
      webhookSecrets: createWebhookSecrets(forms.server.deps),
      mailRecipients: createMailRecipients(forms.server.deps),
    },
  );
  const { body } = await forms.submit((await forms.createForm()).id);
  const submission = (await forms.db
    .selectFrom("submissions")
    .selectAll()
    .where("id", "=", body.submissionId)
    .executeTakeFirstOrThrow()) as SubmissionRow;
  const { signal } = new AbortController();
  for (const name of Object.keys(hostileAnswers)) {
    const target = JSON.stringify({ url: `http://${name}:${port}/`, webhookUrl: `http://${name}:${port}/`, message });
    for (const type of ["webhook", "team_chat", "slack"] as const) {
      const delivery: SubmissionDelivery = {
        id: "delivery_x",
        organizationId: submission.organizationId,
        kind: "submission",
        webhookId: null,
        eventId: null,
        submissionId: submission.id,
        position: 0,
        purpose: "webhook",
        type,
        target,
        host: "",
        state: "pending",
        attempts: 0,
        attemptsBefore: 0,
        dueAt: 0,
        fence: 1,
        createdAt: 0,
      };
      const answer = await send(delivery, { submission, files: [] }, signal);
      expect(answer, `${type} ${name}`).toMatchObject({ error: "Not reachable", status: null, response: null });
    }
  }
  expect(seen.connections).toBe(0);
});

it("a delivery may call loopback from a server that only this machine can reach", async () => {
  const forms = await openPublicServer({});
  const { port, seen } = await startCanary("127.0.0.1");
  const form = await forms.createForm({ formWebhookUrl: `http://127.0.0.1:${port}/` });
  expect((await forms.submit(form.id)).body.webhookResult).toMatchObject({ success: false, error: "Not reachable" });
  expect(seen.connections).toBe(1);
});
