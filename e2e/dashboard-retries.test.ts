import { expect, it, onTestFinished } from "vitest";
import { openChat } from "../test/chat-client.ts";
import { startDashboardSite } from "../test/dashboard-site.ts";
import { startReceiver } from "../test/webhook-receiver.ts";

it("says in Health and in Settings > Webhooks that every attempt of a delivery fails", async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  receiver.answer((_, response) => void response.writeHead(500).end("closed"));
  const env = { FOYER_OUTBOUND_ALLOW: "127.0.0.1", FOYER_WEBHOOK_SCHEDULE: "0s,1h", FOYER_SUBMIT_WAIT: "20s" };
  const site = await startDashboardSite({ env });
  onTestFinished(() => site.stop());
  const { page } = await site.signIn();
  const { id: agentId } = (await site.call(page, "POST", "/agents", { name: "Harbour", model: "demo" })).data;
  await site.call(page, "POST", "/webhooks", { url: `${receiver.url}/events`, events: ["conversation.started"] });
  const form = await site.call(page, "POST", "/tools", {
    agentId,
    name: "contact",
    description: "Takes a message",
    executionType: "form",
    formSchema: { fields: [{ name: "a", label: "A", type: "text" }] },
    inputSchema: { type: "object" },
    formWebhookUrl: `${receiver.url}/form`,
  });
  await (await openChat(site.server.url, { agentId, messages: [{ role: "user", content: "Hello" }] })).ended;
  await site.call(page, "POST", "/form-submissions/submit", { toolId: form.id, formData: {}, fieldsCompleted: [] });
  await expect.poll(() => receiver.received.length).toBe(2);

  await page.goto(`${site.server.url}/dashboard/settings/webhooks`);
  await expect.poll(() => page.getByText("Retrying: HTTP 500").filter({ visible: true }).count()).toBe(2);
  await page.goto(`${site.server.url}/dashboard/settings/health`);
  await page.getByText("2 deliveries failed at every attempt so far and will be attempted again.").waitFor();
});
