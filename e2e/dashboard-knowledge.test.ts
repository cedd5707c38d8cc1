import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { expectFit } from "../test/browser.ts";
import { openChat } from "../test/chat-client.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { conceptVector, startEmbeddingsServer } from "../test/embeddings-server.ts";
import { page as sitePage, startSite } from "../test/site-server.ts";

describe("the knowledge area of the dashboard", () => {
  let site: DashboardSite;
  let page: Page;
  let problems: string[];
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());
  beforeEach(async () => {
    ({ page, problems } = await site.signIn());
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/knowledge`);
  });

  const add = async (kind: string) => {
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("menuitem", { name: kind }).click();
  };
  const addText = async (title: string, text: string) =>
    site.call(page, "POST", "/documents", { agentId, kind: "text", title, text });
  const row = (title: string) => page.getByRole("row").filter({ hasText: title });

  it("adds a text, shows its progress until it is ready, finds it for a question, and deletes it", async () => {
    await page.getByRole("heading", { name: "No documents yet" }).waitFor();
    await expectFit(page);
    await add("Text Pasted or written here");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Add text" }).click();
    await dialog.getByText("This field is required.").first().waitFor();
    await expectFit(page);
    await dialog.getByLabel("Title").fill("Return policy");
    await dialog.getByLabel("Text").fill("# Returns\n\nYou can return a new bike within 30 days of delivery.");
    await dialog.getByRole("button", { name: "Add text" }).click();
    await row("Return policy").getByRole("cell", { name: "Ready", exact: true }).waitFor();

    await page.getByLabel("Question").fill("Can I return my bike?");
    await page.getByRole("button", { name: "Find passages" }).click();
    await page.locator("mark", { hasText: "return" }).first().waitFor();
    await page.getByText(/^matches .*return.* · score 0\.\d\d$/).waitFor();
    await page.getByRole("button", { name: "Ask the agent" }).click();
    const reply = page.getByRole("region", { name: "The agent's reply" });
    await reply.getByText("1 of 1 passage cited").waitFor();
    await site.picture(page, "dashboard-knowledge");
    await expectFit(page);

    await row("Return policy").getByRole("link").click();
    await page.getByRole("heading", { name: "What the agent reads" }).waitFor();
    await page.getByRole("link", { name: "All documents" }).click();
    await row("Return policy").getByRole("link").click();
    await page.getByRole("listitem").filter({ hasText: "within 30 days" }).waitFor();
    await page.getByLabel("Text", { exact: true }).and(page.locator("textarea")).fill("Returns take 14 days.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("listitem").filter({ hasText: "take 14 days" }).waitFor();
    await site.picture(page, "dashboard-document");
    await expectFit(page);
    await page.getByRole("button", { name: "Delete document" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete document" }).click();
    await page.getByRole("heading", { name: "No documents yet" }).waitFor();
    // Passages in the trash still count as embedded.
    await site.call(page, "DELETE", "/trash");
    expect(problems).toEqual([]);
  });

  it("uploads dropped files, explains why one failed, and filters the list", async () => {
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["Tender 2: 1,900 euros"], "prices.txt"));
      data.items.add(new File([new Uint8Array([0, 1, 2, 3, 0, 255])], "photo.bin"));
      data.items.add(new File([], "empty.txt"));
      return data;
    });
    await page.getByRole("heading", { name: "No documents yet" }).dispatchEvent("drop", { dataTransfer: transfer });
    await page.getByText("empty.txt was not uploaded.").waitFor();
    await page.getByText("2 files added", { exact: true }).waitFor();
    await row("photo.bin").getByRole("cell", { name: "Failed", exact: true }).waitFor();
    await row("photo.bin").getByText("This is not a text file.").waitFor();
    expect(await row("photo.bin").getByRole("switch").isDisabled()).toBe(true);
    await page.getByLabel("State").selectOption("failed");
    await row("prices.txt").waitFor({ state: "detached" });
    await page.getByLabel("Search titles and addresses").fill("nothing like it");
    await page.getByText("No documents match.").waitFor();
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("chooses an embedding model, finds passages by meaning, and shows why embedding fails", async () => {
    const provider = await startEmbeddingsServer(conceptVector);
    onTestFinished(() => provider.stop());
    await site.call(page, "PUT", "/models/providers/openai-compatible", { baseUrl: provider.url });
    await addText("Parking", "You can leave your car behind the shop.");

    await site.follow(page, "/settings/models");
    const section = page.locator("section").filter({ has: page.getByRole("heading", { name: "Embedding model" }) });
    provider.fail(404, "The model does not exist");
    await section.getByRole("combobox", { name: "Model" }).fill("openai-compatible/concepts");
    await section.getByRole("button", { name: "Save" }).click();
    await section.getByText("The model does not exist").waitFor();
    provider.reset();
    await section.getByRole("button", { name: "Save" }).click();
    // The settings count the passages of all agents, including those of earlier tests.
    await section.getByText(/^(\d+) of \1 passages have vectors\.$/).waitFor();
    await site.picture(page, "dashboard-embedding-model");
    await expectFit(page);

    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/knowledge`);
    await page.getByText("1 of 1 passage has a vector.").waitFor();
    await page.getByLabel("Question").fill("Where does my automobile go?");
    await page.getByRole("button", { name: "Find passages" }).click();
    await page.getByText("Found by meaning").waitFor();
    provider.fail(429, "Quota exceeded");
    await addText("Returns", "You get a refund.");
    await page.getByText("HTTP 429: Quota exceeded").waitFor();
    await expectFit(page);
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
    await site.call(page, "PUT", "/documents/embeddings", { model: null });
  });

  const ask = async (content: string) => {
    const stream = await openChat(site.server.url, { agentId, messages: [{ role: "user", content }] });
    await stream.ended;
    return (await stream.until("message_start")) as unknown as { conversationId: string };
  };
  it("selects documents for bulk actions, filters them by kind, and retries a failed upload", async () => {
    for (let number = 1; number <= 21; number++)
      await addText(`Note ${number}`, `The number of this note is ${number}.`);
    await site.call(page, "POST", "/documents", { agentId, kind: "faq", question: "Open today?", answer: "Yes." });
    await page.reload();
    await page.getByText("1–20 of 22").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("21–22 of 22").waitFor();
    // The rows change once the server has responded to the new page number.
    await page.getByRole("row", { name: "Select Note 1 Note 1 Text" }).waitFor();
    await page.getByRole("checkbox", { name: "Select all documents on this page" }).check();
    const bar = page.getByRole("region", { name: "Selected documents" });
    await bar.getByText("2 selected").waitFor();
    await site.picture(page, "dashboard-knowledge-bulk");
    await expectFit(page);
    await bar.getByRole("button", { name: "Disable" }).click();
    await page.getByText("2 documents disabled").waitFor();
    await expect.poll(() => row("Note 1").getByRole("switch").getAttribute("aria-checked")).toBe("false");
    await page.getByRole("checkbox", { name: "Select all documents on this page" }).check();
    await bar.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("You can restore them from the trash for 30 days.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete 2 documents" }).click();
    await page.getByText("2 documents deleted").waitFor();
    const trash = (await site.call(page, "GET", "/trash?kind=document")).data.items;
    expect(trash).toHaveLength(2);
    // The second page no longer exists, so the first one is shown.
    await row("Note 21").waitFor();
    await page.getByLabel("Kind").selectOption("faq");
    await row("Open today?").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    // The longest kind is not cut off, and status messages appear above the page's title.
    const [missing, overlap] = await page.evaluate(() => {
      const kind = document.querySelectorAll("search select")[1] as HTMLSelectElement;
      const whole = kind.cloneNode(true) as HTMLSelectElement;
      whole.style.width = "max-content";
      kind.after(whole);
      const missing = whole.offsetWidth - kind.offsetWidth;
      whole.remove();
      const top = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().top ?? Number.NaN;
      // A message of one line is 46 px high.
      return [missing, top("[role=status][aria-live]") + 46 - top("h1")];
    });
    expect(missing).toBeLessThanOrEqual(0);
    expect(overlap).toBeLessThan(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await row("Note 21").waitFor({ state: "detached" });

    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["Tender 2: 1,900 euros"], "prices.txt"));
      document.body.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer }));
    });
    await page.getByText("Drop files to upload them").waitFor();
    await site.picture(page, "dashboard-knowledge-drop");
    const seen = Promise.withResolvers<void>();
    const breakOff = async (route: Route) => {
      await seen.promise;
      await route.abort();
    };
    await page.route("**/documents/upload?*", breakOff, { times: 1 });
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["Tender 2: 1,900 euros"], "prices.txt"));
      document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
    });
    await page.getByRole("progressbar", { name: "Upload of prices.txt" }).waitFor();
    await page.getByText("0%", { exact: true }).waitFor();
    await site.picture(page, "dashboard-knowledge-uploading");
    await expectFit(page);
    seen.resolve();
    await page.getByText("The connection to the server was lost.").waitFor();
    await site.picture(page, "dashboard-knowledge-upload");
    await expectFit(page);
    await page.getByRole("button", { name: "Try again: prices.txt" }).click();
    await page.getByRole("region", { name: "Uploads" }).waitFor({ state: "detached" });
    await page.getByLabel("Kind").selectOption("file");
    await row("prices.txt").waitFor();
    expect(problems.filter((problem) => !problem.includes("ERR_FAILED"))).toEqual([]);
  });

  it("explains replies, and turns an unanswered question into a question with its answer", async () => {
    const { id } = await addText("Opening hours", "On Sunday we are open from 11 to 15.");
    await expect.poll(async () => (await site.call(page, "GET", `/documents/${id}`)).state).toBe("ready");
    await ask("When are you open on Sunday?");
    for (const wording of ["Do you sell surfboards?", "do you sell a surfboard", "Surfboards: do you repair them"]) {
      await ask(wording);
    }
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/knowledge/unanswered`);
    await page.getByRole("heading", { name: "do you sell a surfboard" }).waitFor();
    await page.getByText("Asked 2 times").waitFor();
    await site.picture(page, "dashboard-unanswered");
    await expectFit(page);
    await page.getByRole("button", { name: "Dismiss: Surfboards: do you repair them" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Dismiss question" }).click();
    await page.getByRole("heading", { name: "Surfboards: do you repair them" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Write the answer/ }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByLabel("Other wordings").inputValue()).toBe("Do you sell surfboards?");
    await dialog.getByLabel("Answer").fill("No, we only sell bikes.");
    await site.picture(page, "dashboard-write-answer");
    await expectFit(page);
    await dialog.getByRole("button", { name: "Add answer" }).click();
    await page.getByRole("heading", { name: "No unanswered questions" }).waitFor();
    await site.picture(page, "dashboard-unanswered-empty");

    await site.follow(page, `/agents/${agentId}/knowledge/${id}`);
    await page.getByRole("heading", { name: "Where it was used" }).waitFor();
    await site.picture(page, "dashboard-document-uses");
    await page.getByRole("link", { name: "When are you open on Sunday?" }).click();
    await page.getByText("Why this answer?").click();
    await page.getByText("1 of 1 passage cited").waitFor();
    await page.getByRole("list", { name: "Passages" }).getByRole("link", { name: "Opening hours" }).waitFor();
    await site.picture(page, "dashboard-why-answer");
    await expectFit(page);

    await page.goto(`${site.server.url}/dashboard/agents/${agentId}`);
    await page.getByLabel("Message to Harbour").fill("When are you open on Sunday?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Why this answer?").click();
    await page.getByRole("list", { name: "Passages" }).getByText("Cited").waitFor();
    await site.picture(page, "dashboard-playground-why");
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("adds a site with the selected pages, shows the outcome of each page, and deletes the site", async () => {
    const shop = await startSite({
      "/": sitePage("Harbour Bikes", "Bikes for everybody.", ["/help", "/blog"]),
      "/help": sitePage("Help", "We repair bikes on Tuesdays."),
      "/blog": sitePage("Blog", "News about bikes."),
    });
    onTestFinished(() => shop.stop());
    await page.getByRole("link", { name: "Sites", exact: true }).click();
    await page.getByRole("heading", { name: "No sites yet" }).waitFor();
    await page.getByRole("button", { name: "Add site" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill("ftp://harbour-bikes.example");
    await dialog.getByRole("button", { name: "Find pages" }).click();
    const wrong = dialog.getByText(/must be an http or https address/i);
    await wrong.waitFor();
    await dialog.getByRole("button", { name: "Add site" }).click();
    await dialog.getByLabel("Address").and(page.locator("[aria-invalid=true]:focus")).waitFor();
    expect(await wrong.allInnerTexts()).toEqual([expect.stringMatching(/^Must be/)]);
    await dialog.getByLabel("Address").fill(shop.url);
    await dialog.getByRole("button", { name: "Find pages" }).click();
    await dialog.getByText("3 pages found in links.").waitFor();
    await dialog.getByLabel("Address").fill(`${shop.url}/help`);
    await dialog.getByText("3 pages found in links.").waitFor({ state: "detached" });
    await dialog.getByLabel("Address").fill(shop.url);
    await dialog.getByRole("button", { name: "Uncheck all" }).click();
    await dialog.getByText("Check at least one page.").waitFor();
    await dialog.getByRole("button", { name: "Add site" }).click();
    await dialog.getByRole("button", { name: "Check all" }).click();
    await dialog.getByLabel("/blog").uncheck();
    await site.picture(page, "dashboard-add-site");
    await expectFit(page);
    await dialog.getByRole("button", { name: "Add site" }).click();
    await page.getByText("Up to date").waitFor();
    await page.getByText("2 pages").waitFor();
    await page.getByRole("button", { name: "Pages" }).click();
    await page.getByRole("link", { name: "Help" }).waitFor();
    await site.picture(page, "dashboard-sites");
    await page.getByLabel("State").selectOption("failed");
    await page.getByText("No pages are in this state.").waitFor();
    await expectFit(page);
    await page.getByRole("button", { name: "Delete site" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete site" }).click();
    await page.getByRole("heading", { name: "No sites yet" }).waitFor();
    expect(problems).toEqual([]);
  });
});
