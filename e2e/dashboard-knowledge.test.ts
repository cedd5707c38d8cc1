import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems, overflowOf } from "../test/browser.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("the dashboard's knowledge", () => {
  let site: DashboardSite;
  let page: Page;
  let problems: string[];
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());
  beforeEach(async () => {
    ({ page, problems } = await site.open("/"));
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/knowledge`);
    return () => page.context().close();
  });

  const isFit = async () => {
    expect(await accessibilityProblems(page)).toEqual([]);
    const before = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflowOf(page)).toBe(0);
    if (before) await page.setViewportSize(before);
  };
  const add = async (kind: string) => {
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("menuitem", { name: kind }).click();
  };
  const row = (title: string) => page.getByRole("row").filter({ hasText: title });

  it("adds a text, shows its progress until it is ready, finds it for a question, and deletes it", async () => {
    await page.getByRole("heading", { name: "No documents yet" }).waitFor();
    await isFit();
    await add("Text Pasted or written here");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Add text" }).click();
    await dialog.getByText("This field is required.").first().waitFor();
    await isFit();
    await dialog.getByLabel("Title").fill("Return policy");
    await dialog.getByLabel("Text").fill("# Returns\n\nYou can return a new bike within 30 days of delivery.");
    await dialog.getByRole("button", { name: "Add text" }).click();
    await row("Return policy").getByRole("cell", { name: "Ready", exact: true }).waitFor();

    await page.getByLabel("Question").fill("Can I return my bike?");
    await page.getByRole("button", { name: "Find passages" }).click();
    await page.locator("mark", { hasText: "return" }).first().waitFor();
    await site.picture(page, "dashboard-knowledge");
    await isFit();

    await row("Return policy").getByRole("link").click();
    await page.getByRole("heading", { name: "What the agent reads" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "within 30 days" }).waitFor();
    await page.getByLabel("Text", { exact: true }).and(page.locator("textarea")).fill("Returns take 14 days.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("listitem").filter({ hasText: "take 14 days" }).waitFor();
    await site.picture(page, "dashboard-document");
    await isFit();
    await page.getByRole("button", { name: "Delete document" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete document" }).click();
    await page.getByRole("heading", { name: "No documents yet" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("uploads dropped files, says in words what is wrong with one, and filters the list", async () => {
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["Tender 2: 1,900 euros"], "prices.txt"));
      data.items.add(new File([new Uint8Array([0, 1, 2, 3, 0, 255])], "photo.bin"));
      data.items.add(new File([], "empty.txt"));
      return data;
    });
    await page.getByRole("heading", { name: "No documents yet" }).dispatchEvent("drop", { dataTransfer: transfer });
    await page.getByText("empty.txt was not uploaded.").waitFor();
    await row("photo.bin").getByRole("cell", { name: "Failed", exact: true }).waitFor();
    await row("photo.bin").getByText("This is not a text file.").waitFor();
    await page.getByLabel("State").selectOption("failed");
    await row("prices.txt").waitFor({ state: "detached" });
    await page.getByLabel("Search titles and addresses").fill("nothing like it");
    await page.getByText("No documents match.").waitFor();
    await isFit();
    expect(problems).toEqual([]);
  });
});
