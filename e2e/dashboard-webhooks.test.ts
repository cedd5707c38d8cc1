import { webhookEventTypes } from "@foyer/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { openChat } from "../test/chat-client.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { startReceiver } from "../test/webhook-receiver.ts";

describe("the webhooks page", () => {
  let site: DashboardSite;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let agentId: string;
  beforeAll(async () => {
    receiver = await startReceiver();
    // Failed attempts are not retried, so nothing changes during the test.
    const env = { FOYER_OUTBOUND_ALLOW: "127.0.0.1", FOYER_WEBHOOK_SCHEDULE: "0s", FOYER_SUBMIT_WAIT: "20s" };
    site = await startDashboardSite({ env });
    const { page } = await site.signIn();
    ({ id: agentId } = (await site.call(page, "POST", "/agents", { name: "Harbour", model: "demo" })).data);
    await page.context().close();
  });
  afterAll(async () => {
    await site.stop();
    await receiver.stop();
  });

  const isFit = async (page: Page, name: string) => {
    await expectFit(page);
    await site.picture(page, name);
  };
  /** Creates a webhook with a page's session. The page can stay where it is. */
  const create = async (page: Page, description: string): Promise<string> => {
    const webhook = { url: `${receiver.url}/events`, description, events: ["conversation.started", "message.created"] };
    return (await site.call(page, "POST", "/webhooks", webhook)).id;
  };

  it("creates a webhook with the keyboard, and sends it a sample event", async () => {
    const { page, problems } = await site.open("/settings/webhooks");
    await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
    await site.picture(page, "webhooks-empty");
    await page.getByRole("button", { name: "Create webhook" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill("http://169.254.169.254/hook");
    await page.keyboard.press("Enter");
    await dialog.locator("[aria-invalid=true]").waitFor();
    await isFit(page, "webhooks-create");
    await dialog.getByLabel("URL").fill(`${receiver.url}/events`);
    await dialog.getByLabel("Description").fill("Data warehouse");
    await dialog.getByRole("radio", { name: "Selected" }).first().check();
    for (const kind of ["conversation.started", "visitor.erased"]) {
      await dialog.getByRole("checkbox", { name: new RegExp(kind.replace(".", "\\.")) }).uncheck();
    }
    await dialog.getByLabel("Content").selectOption("ids");
    await dialog.getByRole("button", { name: "Create webhook" }).click();

    await page.getByRole("heading", { name: "Data warehouse" }).waitFor();
    await page.getByText("Nothing has been sent yet.").waitFor();
    const [stored] = await site.call(page, "GET", "/webhooks");
    expect(stored).toMatchObject({ payload: "ids", agentIds: [], isEnabled: true });
    expect(stored.events).toHaveLength(webhookEventTypes.length - 2);

    await page.getByLabel("Event", { exact: true }).selectOption("reply.finished");
    const sample = JSON.parse(await page.getByRole("region", { name: "the sample event" }).innerText());
    receiver.answer((_, response) => void response.writeHead(202).end("noted"));
    await page.getByRole("button", { name: "Send test event" }).click();
    await page.getByText("Accepted with HTTP 202").waitFor();
    await page.getByRole("region", { name: "Response to the test event" }).getByText("noted").waitFor();
    expect(receiver.bodies("/events").at(-1).data).toEqual(sample.data);
    expect(sample.data).not.toHaveProperty("content");
    await site.picture(page, "webhook-tested");
    expect(problems).toEqual([]);
  });

  it("shows failed deliveries with their responses, and redelivers them", async () => {
    const { page, problems } = await site.signIn();
    const id = await create(page, "CRM");
    receiver.answer((_, response) => void response.writeHead(500).end("The warehouse is closed."));
    await (await openChat(site.server.url, { agentId, messages: [{ role: "user", content: "Hello" }] })).ended;
    await expect
      .poll(async () => (await site.call(page, "GET", `/webhooks/${id}/deliveries?status=failed`)).pagination.total)
      .toBe(2);
    await page.goto(`${site.server.url}/dashboard/settings/webhooks/${id}?status=failed`);
    await page.locator("summary", { hasText: "message.created" }).press("Enter");
    await page
      .getByRole("region", { name: /^message.created/ })
      .getByText("The warehouse is closed.")
      .waitFor();
    await isFit(page, "webhook-failed");
    receiver.answer((_, response) => void response.end("ok"));
    await page.getByRole("button", { name: "Try again now" }).click();
    await page.locator("summary", { hasText: "message.created" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Redeliver 1 failed" }).click();
    await site.picture(page, "webhook-redeliver");
    await page.getByRole("dialog").getByRole("button", { name: "Redeliver 1 failed" }).click();
    await page.getByText("1 event queued again").waitFor();
    await page.getByRole("radio", { name: "Delivered" }).check();
    await expect.poll(() => page.locator("summary", { hasText: "Delivered" }).count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it("says why a webhook was disabled, enables it again, and replaces its secret", async () => {
    const { page, problems } = await site.signIn();
    const id = await create(page, "Old warehouse");
    const reason = "Every attempt has failed for 5 days.";
    const changes = { isEnabled: 0, disabledReason: reason } as const;
    await site.server.deps.db.updateTable("webhooks").set(changes).where("id", "=", id).execute();
    await page.goto(`${site.server.url}/dashboard/settings/webhooks`);
    await page.getByRole("row", { name: /Old warehouse.*Disabled by Foyer/ }).waitFor();
    await site.picture(page, "webhooks-disabled");
    await page.getByRole("link", { name: "Old warehouse" }).click();
    await page.getByText(`Foyer has disabled this webhook. ${reason}`).waitFor();
    await isFit(page, "webhook-disabled");
    // Saving other settings neither enables the webhook nor clears the reason.
    await page.getByRole("button", { name: "Edit webhook" }).click();
    await page.getByRole("dialog").getByLabel("Description").fill("New warehouse");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "New warehouse" }).waitFor();
    await page.getByText(reason).waitFor();
    await page.getByRole("button", { name: "Enable webhook" }).click();
    await page.getByText("Foyer has disabled this webhook.").waitFor({ state: "detached" });
    await expect
      .poll(() => site.call(page, "GET", `/webhooks/${id}`))
      .toMatchObject({ isEnabled: true, disabledReason: null });

    await page.getByRole("button", { name: "Signing secret" }).click();
    await page.getByRole("button", { name: "Replace secret" }).click();
    await page.getByText(/For 24 hours, every delivery is signed with both/).waitFor();
    await page.getByRole("button", { name: "Replace signing secret" }).click();
    await page.getByText(/The previous secret is valid until/).waitFor();
    await site.picture(page, "webhook-secret");
    expect(problems).toEqual([]);
  });

  it("switches the feed on, keeps members out, and deletes a webhook", async () => {
    const { page, problems } = await site.open("/settings/webhooks");
    const id = await create(page, "Archive");
    await page.reload();
    await page.getByRole("switch", { name: "Record events for the feed" }).press("Space");
    await page.getByRole("region", { name: "the request" }).getByText(`${site.server.url}/events?after=`).waitFor();
    await expect.poll(async () => (await site.call(page, "GET", "/events")).cursor).toMatch(/^\d+$/);
    await isFit(page, "webhooks-feed");

    const { page: ofMember } = await site.open(`/settings/webhooks/${id}`, { email: await site.addMember("member") });
    await ofMember.getByText("Only admins and owners can open this page.", { exact: false }).waitFor();
    await expect.poll(() => ofMember.getByRole("link", { name: "Webhooks" }).count()).toBe(0);

    await page.getByRole("link", { name: "Archive" }).click();
    await page.getByRole("button", { name: "Delete Archive" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete Archive" }).click();
    await page.getByRole("link", { name: "Archive" }).waitFor({ state: "detached" });
    await page.waitForURL("**/settings/webhooks");
    expect(problems).toEqual([]);
  });
});
