import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { createOwner } from "../test/session-client.ts";
import { ask } from "../test/widget-site.ts";

describe("onboarding", () => {
  let site: DashboardSite;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());

  it("shows the agent that is being set up in the sidebar, not the one that was open before", async () => {
    const { email } = await createOwner(site.server);
    const { page } = await site.signIn({ email });
    const { id } = (await site.call(page, "POST", "/agents", { name: "Schedule", model: "demo" })).data;
    await page.goto(`${site.server.url}/dashboard/agents/${id}/tools`);
    const sidebar = page.getByRole("navigation", { name: "Main" });
    await sidebar.getByRole("button", { name: /^Schedule ?, switch agent$/ }).click();
    await page.getByRole("menuitem", { name: "Create agent" }).click();
    await sidebar.getByRole("button", { name: /^New agent ?, switch agent$/ }).waitFor();
    expect(await sidebar.getByRole("link", { name: "Tools" }).count()).toBe(0);
    await page.getByLabel("Name").fill("Harbour");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "What should it know?" }).waitFor();
    await sidebar.getByRole("button", { name: /^Harbour ?, switch agent$/ }).waitFor();
    const created = new URL(page.url()).searchParams.get("agentId");
    expect(await sidebar.getByRole("link", { name: "Tools" }).getAttribute("href")).toContain(`/agents/${created}/`);
  });

  it("guides the owner from a name to the first visitor's conversation", async () => {
    const { page, problems } = await site.open("/");
    await page.waitForURL("**/dashboard/start");
    // Inter's tabular hyphen is as wide as a digit and would stand apart in words.
    await page.getByRole("heading", { name: "Create agent" }).waitFor();
    const hyphen = await page.evaluate(() => {
      const text = document.createElement("span");
      text.innerHTML = `<span>-</span><span>0</span>`;
      document.querySelector("h1")?.append(text);
      const [first = 0, digit = 0] = [...text.children].map((child) => child.getBoundingClientRect().width);
      text.remove();
      return first / digit;
    });
    expect(hyphen).toBeLessThan(0.8);
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByLabel("Name").and(page.locator("[aria-invalid=true]")).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-start-name");
    await page.getByLabel("Name").fill("Harbour");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "What should it know?" }).waitFor();
    await page.getByRole("radio", { name: "Demo", checked: true }).waitFor();
    await page.getByText("No provider connected.", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Start from the bike-shop example" }).click();
    await expectFit(page);
    await site.picture(page, "dashboard-start-know");
    await page.getByRole("button", { name: "Continue" }).click();

    await page.getByRole("heading", { name: "Talk to Harbour" }).waitFor();
    await page.getByRole("button", { name: "When are you open?" }).click();
    await page.getByText("9:00 to 18:00").first().waitFor();
    await page.getByRole("link", { name: "Continue", exact: true }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-start-try");
    await page.getByRole("link", { name: "Continue", exact: true }).click();

    const agentId = new URL(page.url()).searchParams.get("agentId");
    const line = `<script src="${site.server.url}/widget.js" data-agent-id="${agentId}" async></script>`;
    await expect.poll(() => page.getByRole("region", { name: "the line" }).innerText()).toBe(line);
    await expectFit(page);
    await site.picture(page, "dashboard-start-embed");
    await page.getByRole("link", { name: "Continue" }).click();

    await page.getByRole("heading", { name: "Waiting for the first conversation" }).waitFor();
    await page.getByText("Waiting for a message…").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-start-wait");
    const visitor = (await site.browser.openWarm()).page;
    await visitor.goto(`${site.server.url}/demo/${agentId}`);
    await ask(visitor, "Can I take a test ride?");
    await page.getByRole("heading", { name: "Your first conversation" }).waitFor();
    await page.getByText("Can I take a test ride?").waitFor();
    await page.getByRole("link", { name: /^First conversation ?, done$/ }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-start-arrived");
    await page.getByRole("link", { name: "Open conversation" }).click();
    await page.waitForURL(/\/agents\/agent_\w+\/conversations\/conv_\w+/);

    // A user who has an agent is not sent to onboarding again.
    await page.goto(`${site.server.url}/dashboard`);
    await page.waitForURL(/\/conversations/);
    expect(problems).toEqual([]);
  });

  it("resumes onboarding at the first step that is not done", async () => {
    const { email } = await createOwner(site.server);
    const { page } = await site.open("/start", { email });
    const agent = await site.call(page, "POST", "/agents", { name: "Harbour", systemPrompt: "We open at nine." });
    const address = `${site.server.url}/dashboard/start?agentId=${agent.data.id}`;
    await page.goto(address);
    await page.getByRole("heading", { name: "What should it know?" }).waitFor();
    await expect.poll(() => page.getByLabel("System prompt").inputValue()).toBe("We open at nine.");
    // Leaving without the button also keeps what was entered.
    await page.getByLabel("System prompt").fill("We open at ten.");
    await page.getByRole("link", { name: "First conversation" }).click();
    await page.getByRole("heading", { name: "Waiting for the first conversation" }).waitFor();
    await expect
      .poll(async () => (await site.call(page, "GET", `/agents/${agent.data.id}`)).data.systemPrompt)
      .toBe("We open at ten.");
    await page.goto(`${address}&step=embed`);
    await page.getByRole("heading", { name: "Add one line to your pages" }).waitFor();
    await page.getByRole("link", { name: "Back" }).click();
    await page.getByRole("heading", { name: "Talk to Harbour" }).waitFor();
    await page.getByRole("link", { name: "Name" }).click();
    await page.getByLabel("Name").fill("Harbour desk");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Set up Harbour desk" }).waitFor();
    // Until onboarding is finished or dismissed, the sidebar leads back to the first step that is not done.
    await page.goto(`${site.server.url}/dashboard/agents`);
    await page.getByRole("link", { name: "Finish setup" }).click();
    await page.getByRole("heading", { name: "Talk to Harbour desk" }).waitFor();
    await page.goto(`${site.server.url}/dashboard/agents`);
    await page.getByRole("button", { name: "Dismiss setup" }).click();
    await page.getByRole("link", { name: "Finish setup" }).waitFor({ state: "detached" });
    const agents = (await site.call(page, "GET", "/agents")).data;
    expect(agents.map(({ name }: { name: string }) => name)).toEqual(["Harbour desk"]);
  });

  it("offers the model of a connected provider", async () => {
    const { email } = await createOwner(site.server);
    const { page } = await site.open("/start", { email });
    const agent = await site.call(page, "POST", "/agents", { name: "Harbour" });
    const models = [
      { id: "foyer/demo", provider: "foyer", name: "Demo (no AI)", isDefault: false },
      { id: "openai/gpt-5-mini", provider: "openai", name: "gpt-5-mini", isDefault: false },
      { id: "openai/gpt-5", provider: "openai", name: "gpt-5", isDefault: true },
    ];
    await page.route("**/models", (route) => route.fulfill({ json: { data: models, error: null } }));
    await page.goto(`${site.server.url}/dashboard/start?agentId=${agent.data.id}`);
    await page.getByRole("radio", { name: "An AI model" }).check();
    const field = page.getByLabel("Model", { exact: true });
    await expect.poll(() => field.getAttribute("placeholder")).toBe("Default (currently openai/gpt-5)");
    await page.getByRole("combobox", { name: "Model" }).click();
    await expect
      .poll(() => page.getByRole("option").allInnerTexts())
      .toEqual([
        "Default (currently openai/gpt-5)",
        "foyer/demo\nDemo (no AI)",
        "openai/gpt-5-mini\ngpt-5-mini, openai",
        "openai/gpt-5\ngpt-5, openai",
      ]);
    await page.keyboard.press("Escape");
    await expectFit(page);
    await site.picture(page, "dashboard-start-model");
    await page.getByLabel("Model", { exact: true }).fill("openai/gpt-6");
    await page.getByText("We don't know this model.", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Talk to Harbour" }).waitFor();
    await expect
      .poll(async () => (await site.call(page, "GET", `/agents/${agent.data.id}`)).data.model)
      .toBe("openai/gpt-6");
  });
});
