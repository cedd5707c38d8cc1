import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRatingToken } from "../packages/server/src/auth/conversation-token.ts";
import { ratingMail } from "../packages/server/src/inbox/notices/rating-mail.ts";
import { renderMail } from "../packages/server/src/outbound/mail-content.ts";
import { accessibilityProblems } from "../test/browser.ts";
import { takePictures } from "../test/pictures.ts";
import { createMember, signedInBrowser } from "../test/session-client.ts";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

const DAY_MS = 86_400_000;

describe("the question that asks a visitor to rate the conversation", () => {
  let site: WidgetSite;
  beforeAll(async () => {
    site = await startWidgetSite();
  });
  beforeEach(() => site.upstream.script(sayWords("We open at nine.")));
  afterAll(() => site.stop());

  const question = (page: Page, name = "How was this conversation?") => page.getByRole("group", { name });
  const score = (page: Page, name: string) => question(page).getByRole("radio", { name });
  const sendButton = (page: Page) => page.locator(".rating").getByRole("button", { name: "Send" });

  /** What a visitor causes by returning to the page. */
  const returnToPage = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

  /** A visitor who has asked something, in an open chat. */
  async function converse(agent: object = {}, options: Parameters<WidgetSite["visit"]>[1] = {}) {
    const opened = await site.visit({ askRating: "all", ...agent }, options);
    const { page, agentId } = opened;
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    const [{ id }] = (await site.owner.call("GET", `/conversations?agentId=${agentId}`)).body.data;
    const change = async (action: string, body: object = {}) => {
      const { status } = await site.owner.call("POST", `/conversations/${id}/${action}`, body);
      if (status !== 200) throw new Error(`${action}: ${status}`);
    };
    const read = async () => (await site.owner.call("GET", `/conversations/${id}`)).body.data.rating;
    return { ...opened, id, change, read };
  }

  it("appears while the page is open, is answered with the keyboard, and can be corrected after a reload", async () => {
    const { page, problems, change, read } = await converse();
    await change("resolve");
    await returnToPage(page);
    await question(page).waitFor();
    expect(await page.locator(".rating textarea").count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "rating-asked");
    expect(await page.getByRole("status").allInnerTexts()).toContain("How was this conversation?");

    await score(page, "1, Very bad").focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowRight");
    expect(await score(page, "4, Good").isChecked()).toBe(true);
    await page.locator(".rating textarea").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("Quick answer");
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "rating-chosen");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Your rating: 4 of 5 (Good)").waitFor();
    expect(await read()).toMatchObject({ score: 4, comment: "Quick answer" });
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "rating-given");

    await page.reload();
    await page.getByRole("button", { name: "Change rating" }).click();
    expect(await page.locator(".rating textarea").inputValue()).toBe("Quick answer");
    // The card moves the focus there after it has been drawn.
    await score(page, "4, Good").and(page.locator(":checked:focus")).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.locator(".rating textarea").fill("");
    await sendButton(page).click();
    await page.getByText("Your rating: 5 of 5 (Very good)").waitFor();
    expect(await read()).toMatchObject({ score: 5, comment: null });
    expect(problems).toEqual([]);
  });

  it("appears as soon as a member closes the conversation that they had", async () => {
    const { page, id, change } = await converse({ handoff: { isEnabled: true }, askRating: "handed_over" });
    const { email } = await createMember(site.server, site.owner.organizationId, "member");
    const member = await signedInBrowser(site.server, email);
    await page.getByRole("button", { name: "Talk to a person" }).click();
    await page.getByLabel("What is it about?").press("Enter");
    await member.call("POST", `/conversations/${id}/takeover`);
    await page
      .getByText(/from the team/)
      .first()
      .waitFor();
    expect(await question(page).count()).toBe(0);
    await change("resolve");
    await question(page).waitFor();
    await takePictures(page, "rating-after-person");
  });

  it("appears when the visitor comes back to a conversation that ended in the meantime", async () => {
    const { page, change } = await converse();
    await page.goto("about:blank");
    await change("resolve");
    await page.goBack();
    await question(page).waitFor();
  });

  it("is the agent's own question, if it has one", async () => {
    const { page, change } = await converse({ ratingQuestion: "Did Harbour help you?" });
    await change("resolve");
    await returnToPage(page);
    await question(page, "Did Harbour help you?").waitFor();
  });

  it("does not come back after the visitor has hidden it and written again", async () => {
    const { page, change } = await converse();
    await change("resolve");
    await returnToPage(page);
    await page.locator(".rating").getByRole("button", { name: "Hide" }).click();
    await question(page).waitFor({ state: "detached" });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.tagName))
      .toBe("TEXTAREA");
    await ask(page, "And on Sundays?");
    await replyOver(page);
    await change("resolve");
    const isAsked: string[] = [];
    page.on("request", (request) => request.url().endsWith("/rating") && isAsked.push(request.url()));
    await page.reload();
    await page.getByText("And on Sundays?").waitFor();
    await returnToPage(page);
    await replyOver(page);
    expect([await question(page).count(), isAsked]).toEqual([0, []]);
  });

  it("disappears when the visitor writes on, and returns with the next end", async () => {
    const { page, change } = await converse();
    await change("resolve");
    await returnToPage(page);
    await question(page).waitFor();
    await ask(page, "And on Sundays?");
    await question(page).waitFor({ state: "detached" });
    await replyOver(page);
    const answered = page.waitForResponse(/\/rating$/);
    await returnToPage(page);
    await answered;
    expect(await question(page).count()).toBe(0);
    await change("resolve");
    await returnToPage(page);
    await question(page).waitFor();
  });

  it("keeps what the visitor entered when it could not be sent", async () => {
    const { page, change, read } = await converse();
    await change("resolve");
    await returnToPage(page);
    await score(page, "2, Bad").check();
    await page.locator(".rating textarea").fill("Too slow");
    await page.route("**/rating", (route) => route.fulfill({ status: 503, body: "" }));
    await sendButton(page).click();
    await page.getByRole("alert").getByText("Your rating couldn't be saved.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "rating-failed");
    await page.unroute("**/rating");
    await sendButton(page).click();
    await page.getByText("Your rating: 2 of 5 (Bad)").waitFor();
    expect(await read()).toMatchObject({ score: 2, comment: "Too slow" });
  });

  it("disappears when it is too late to answer it", async () => {
    const { page, id, change, read } = await converse();
    await change("resolve");
    await returnToPage(page);
    await score(page, "3, Okay").check();
    await site.server.deps.db
      .updateTable("conversations")
      .set((x) => ({ ratingAskedAt: x("ratingAskedAt", "-", 30 * DAY_MS) }))
      .where("id", "=", id)
      .execute();
    await sendButton(page).click();
    await question(page).waitFor({ state: "detached" });
    expect(await read()).toBeNull();
  });

  it("fits a phone, in a language that is read from right to left, and in forced colors", async () => {
    const context = { viewport: { width: 390, height: 844 }, locale: "ar" };
    const { page, change } = await converse({}, { attributes: { "data-locale": "ar" }, context });
    await change("resolve");
    await returnToPage(page);
    const asked = question(page, "كيف كانت هذه المحادثة؟");
    await asked.getByRole("radio", { name: "5, جيدة جدًا" }).check();
    await takePictures(page, "rating-arabic");
    const [first, last] = await Promise.all(
      [0, 4].map((index) => page.locator(".rating label").nth(index).boundingBox()),
    );
    expect(first?.x).toBeGreaterThan(last?.x ?? Number.NaN);
    expect(last?.height).toBeGreaterThanOrEqual(44);
    const scrolls = await page.locator(".panel").evaluate((panel) => panel.scrollWidth > panel.clientWidth);
    expect(scrolls).toBe(false);
    await page.emulateMedia({ forcedColors: "active" });
    await site.picture(page, "rating-forced-colors");
  });

  it("loads nothing on the pages of an agent that does not ask", async () => {
    const { page, agentId } = await site.visit();
    const requested: string[] = [];
    page.on("request", (request) => /rating/.test(request.url()) && requested.push(request.url()));
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    const [{ id }] = (await site.owner.call("GET", `/conversations?agentId=${agentId}`)).body.data;
    await site.owner.call("POST", `/conversations/${id}/resolve`);
    await page.reload();
    await page.getByText("We open at nine.").waitFor();
    expect(requested).toEqual([]);
  });

  it("is answered on the page of an emailed link, without scripts, with the keyboard and on a phone", async () => {
    const { id, change, read } = await converse({ name: "Harbour" });
    await change("resolve");
    const token = createRatingToken(site.server.deps.encryption, { id, linkVersion: 0 });
    const { page, problems } = await site.browser.open({ viewport: { width: 390, height: 844 } });
    const link = `${site.server.url}/rate/${id}?token=${token}`;
    await page.goto(`${link}&score=4`);
    expect(await page.getByRole("heading").innerText()).toBe("How was your conversation with Harbour?");
    const group = page.getByRole("group", { name: "How was your conversation with Harbour?" });
    expect(await group.getByRole("radio", { name: "4, Good" }).isChecked()).toBe(true);
    expect(await read()).toBeNull();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "rating-page");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);

    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Very kind");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Your rating: 5 of 5 (Very good)").waitFor();
    expect(await read()).toMatchObject({ score: 5, comment: "Very kind" });
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "rating-page-thanks");
    await page.getByRole("link", { name: "Change rating" }).click();
    expect(await page.getByLabel("What is the reason? (optional)").inputValue()).toBe("Very kind");
    await group.getByRole("radio", { name: "3, Okay" }).check();
    await page.getByRole("button", { name: "Send rating" }).click();
    await page.getByText("Your rating: 3 of 5 (Okay)").waitFor();
    await page.goto(`${site.server.url}/rate/${id}?token=frt_wrong`);
    await page.getByText("This link doesn’t work").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "rating-page-invalid");
    await page.goto(link);
    const mail = renderMail(
      ratingMail(
        {
          conversationId: id,
          agentName: "Harbour",
          sender: { name: "Harbour", color: null },
          question: null,
          context: null,
        },
        { baseUrl: "", token },
      ),
      "chat.example",
    );
    expect(problems).toEqual([]);
    await page.goto("about:blank");
    await page.setContent(mail.html);
    await takePictures(page, "rating-mail");
  });
});
