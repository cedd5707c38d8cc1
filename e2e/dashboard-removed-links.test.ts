import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { sayWords, startUpstream, type Upstream } from "../test/upstream.ts";

describe("links that were removed from a reply", () => {
  let model: Upstream;
  let site: DashboardSite;
  let page: Page;
  let problems: string[];
  let agentId: string;
  beforeAll(async () => {
    model = await startUpstream();
    const env = { OPENAI_COMPATIBLE_BASE_URL: model.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    site = await startDashboardSite({ env });
  });
  afterAll(async () => {
    await site.stop();
    await model.stop();
  });
  beforeEach(async () => {
    ({ page, problems } = await site.signIn());
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
  });

  const readHosts = async () => (await site.call(page, "GET", `/agents/${agentId}`)).data.linkHosts;

  it("are named below it in the conversation, and one click allows their host", async () => {
    await site.call(page, "PATCH", `/agents/${agentId}`, { linkHosts: ["docs.example"] });
    const owner = { organizationId: site.owner.organizationId, agentId };
    const id = await insertConversation(site.server.deps.db, owner, {}, [
      { content: "Where can I read about the prices?" },
      {
        content: "On our page about prices, and at partner.example/prices.",
        removedLinks: ["prices.harbour.example", "partner.example"],
      },
    ]);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${id}`);
    const links = page.getByRole("list", { name: "Removed links" }).getByRole("listitem");
    await links.first().getByText("A link to prices.harbour.example was removed.").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-removed-links");
    const allow = links.first().getByRole("button", { name: "Allow links to this host" });
    await allow.click();
    await page.getByText("Links to prices.harbour.example are allowed now", { exact: true }).waitFor();
    await allow.waitFor({ state: "detached" });
    expect(await readHosts()).toEqual(["docs.example", "prices.harbour.example"]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("are allowed now.");
    expect(await links.getByRole("button").count()).toBe(1);
    await expectFit(page);
    await site.follow(page, `/agents/${agentId}/embed`);
    await expect.poll(() => page.getByLabel("Link host 2").inputValue()).toBe("prices.harbour.example");
    await page.getByRole("button", { name: "Remove docs.example" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(readHosts).toEqual(["prices.harbour.example"]);
    expect(problems).toEqual([]);
  });

  it("are named in the playground, where the next reply keeps the link to the allowed host", async () => {
    const faq = { kind: "faq", question: "What does a service cost?", answer: "A basic service costs 59 euros." };
    const { id } = await site.call(page, "POST", "/documents", { agentId, ...faq });
    const readState = async () => (await site.call(page, "GET", `/documents/${id}`)).state;
    await expect.poll(readState).toBe("ready");
    model.script(sayWords("See [our prices](https://prices.harbour.example/)."));
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}`);
    const chat = page.getByRole("region", { name: "Try Harbour" });
    await chat.getByLabel("Message to Harbour").fill("What does a service cost?");
    await page.keyboard.press("Enter");
    await chat.getByText("A link to prices.harbour.example was removed.").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-removed-links-playground");
    await chat.getByRole("button", { name: "Allow links to this host" }).click();
    await expect.poll(readHosts).toEqual(["prices.harbour.example"]);
    model.script(sayWords("See [our prices](https://prices.harbour.example/)."));
    await chat.getByLabel("Message to Harbour").fill("Once more, please?");
    await page.keyboard.press("Enter");
    await chat.getByRole("link", { name: "our prices" }).waitFor();
    expect(problems).toEqual([]);
  });
});
