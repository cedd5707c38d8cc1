import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { takePhoto } from "../test/photo.ts";
import { createPdf } from "../test/sample-files.ts";
import { createMember, password, signedInBrowser } from "../test/session-client.ts";
import { tinyPictures } from "../test/tiny-pictures.ts";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const both = { images: true, files: true, handoffOnly: false };
const pngFile = (name: string) => ({ name, mimeType: "image/png", buffer: tinyPictures["image/png"] });

describe("attachments in the widget", () => {
  let site: WidgetSite;
  let photo: { name: string; mimeType: string; buffer: Buffer };
  let manual: { name: string; mimeType: string; buffer: Buffer };
  beforeAll(async () => {
    site = await startWidgetSite();
    const { page } = await site.browser.open();
    await page.goto(site.host.page("/", {}));
    photo = { name: "IMG_2041.jpg", mimeType: "image/jpeg", buffer: await takePhoto(page) };
    manual = { name: "manual.pdf", mimeType: "application/pdf", buffer: createPdf([["City One"]]) };
    await page.close();
  });
  beforeEach(() => {
    site.upstream.script(sayWords("That ", "is a bike."));
    site.host.before("");
  });
  afterAll(() => site.stop());

  const input = (page: Page) => page.locator(".composer input[type=file]");
  const uploaded = (page: Page, count: number) => expect.poll(() => page.locator(".draft .time").count()).toBe(count);
  const drawn = (page: Page, count: number) =>
    expect.poll(() => page.locator(".attached canvas.drawn").count()).toBe(count);
  const lastMessages = async (agentId: string) => {
    const [{ id }] = (await site.owner.call("GET", `/conversations?agentId=${agentId}`)).body.data;
    return { id, messages: (await site.owner.call("GET", `/conversations/${id}`)).body.data.messages };
  };
  /** Drops or pastes files as the browser does, because Playwright cannot. */
  const transfer = (
    page: Page,
    kind: "drop" | "paste" | "dragover",
    file: { name: string; mimeType: string; buffer: Buffer },
  ) =>
    page.locator(".panel textarea").evaluate(
      (field, { kind, name, type, base64 }) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], name, { type }));
        const options = { bubbles: true, composed: true, cancelable: true };
        field.dispatchEvent(
          kind === "paste"
            ? new ClipboardEvent(kind, { ...options, clipboardData: data })
            : new DragEvent(kind, { ...options, dataTransfer: data }),
        );
      },
      { kind, name: file.name, type: file.mimeType, base64: file.buffer.toString("base64") },
    );

  it("a visitor attaches a photo and a PDF, and finds both after a reload, without the photo's metadata", async () => {
    const { page, problems, agentId } = await site.visit({ attachments: both });
    await openChat(page);
    await input(page).setInputFiles([photo, manual]);
    await uploaded(page, 2);
    await site.picture(page, "attachments-drafts");
    expect(await accessibilityProblems(page)).toEqual([]);
    await ask(page, "What is it?");
    await replyOver(page);
    await drawn(page, 1);
    expect(await page.locator(".draft").count()).toBe(0);
    await site.picture(page, "attachments-sent");
    const { messages } = await lastMessages(agentId);
    expect(
      messages[0].attachments.map(({ name, type, width, height }: Record<string, unknown>) => [
        name,
        type,
        width,
        height,
      ]),
    ).toEqual([
      ["IMG_2041.jpg", "image/jpeg", 1176, 1568],
      ["manual.pdf", "application/pdf", null, null],
    ]);
    const answer = await site.server.app.inject({
      method: "GET",
      url: messages[0].attachments[0].url,
      headers: site.owner.headers,
    });
    const stored = answer.rawPayload.toString("latin1");
    expect(stored).not.toMatch(/Exif|Harbour Cam|planted-location/);
    await page.reload();
    await drawn(page, 1);
    expect(await page.locator(".file-row .file-name").textContent()).toBe("manual.pdf");
    expect(problems).toEqual([]);
  });

  it("a picture can be dropped on the panel and pasted into it, and the text of a copied table stays text", async () => {
    const { page, problems } = await site.visit({ attachments: both });
    await openChat(page);
    await page.locator(".attach").waitFor();
    await transfer(page, "dragover", pngFile("dropped.png"));
    await page.locator(".drop-zone").waitFor();
    await site.picture(page, "attachments-drop");
    await transfer(page, "drop", pngFile("dropped.png"));
    await transfer(page, "paste", pngFile("pasted.png"));
    await uploaded(page, 2);
    expect(await page.locator(".draft .file-name").allTextContents()).toEqual(["dropped.png", "pasted.png"]);
    expect(await page.locator(".drop-zone").count()).toBe(0);
    await page.locator(".panel textarea").press("Enter");
    await replyOver(page);
    await drawn(page, 2);
    expect(await page.locator(".user .bubble").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("what is attached and not sent is still attached after a reload, and is sent once", async () => {
    const { page, problems, agentId } = await site.visit({ attachments: both });
    await openChat(page);
    await input(page).setInputFiles([photo, manual]);
    await uploaded(page, 2);
    await page.reload();
    await uploaded(page, 2);
    expect(await page.locator(".draft .file-name").allTextContents()).toEqual(["IMG_2041.jpg", "manual.pdf"]);
    await page.getByRole("button", { name: "Remove manual.pdf" }).click();
    await page.reload();
    await uploaded(page, 1);
    await page.locator(".send").click();
    await replyOver(page);
    await drawn(page, 1);
    expect(await page.locator(".draft").count()).toBe(0);
    await page.reload();
    await drawn(page, 1);
    expect(await page.locator(".draft").count()).toBe(0);
    const { messages } = await lastMessages(agentId);
    expect(messages[0].attachments.map(({ name }: { name: string }) => name)).toEqual(["IMG_2041.jpg"]);
    expect(problems).toEqual([]);
  });

  it("the page's own listeners see nothing of a pasted picture", async () => {
    site.host.before("document.addEventListener('paste', () => { window.seen = true; }, true);");
    const { page } = await site.visit({ attachments: both });
    await openChat(page);
    await page.locator(".attach").waitFor();
    await transfer(page, "paste", pngFile("pasted.png"));
    await uploaded(page, 1);
    expect(await page.evaluate(() => Reflect.get(window, "seen"))).toBeUndefined();
  });

  it("files that cannot be sent say why beside them, and a fifth one above the field", async () => {
    const { page } = await site.visit({ attachments: { ...both, files: false } });
    await openChat(page);
    const broken = { name: "broken.png", mimeType: "image/png", buffer: Buffer.from("no picture") };
    const heic = { name: "IMG_1.HEIC", mimeType: "image/heic", buffer: Buffer.from("no picture") };
    await input(page).setInputFiles([manual, broken, heic]);
    const problem = page.locator(".draft .problem");
    await expect.poll(() => problem.count()).toBe(3);
    const texts = await problem.allTextContents();
    expect(texts[0]).toBe("This type of file can't be sent. You can send JPEG, PNG, GIF, WebP.");
    expect(texts[1]).toBe("This picture can't be opened.");
    expect(texts[2]).toMatch(/can't open HEIC pictures/);
    expect(await page.locator(".send").isDisabled()).toBe(true);
    await site.picture(page, "attachments-problems");
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const name of ["manual.pdf", "broken.png", "IMG_1.HEIC"]) {
      await page.getByRole("button", { name: `Remove ${name}` }).click();
    }
    expect(await page.locator(".attach").evaluate((button) => button.matches(":focus"))).toBe(true);
    await input(page).setInputFiles(["1", "2", "3", "4", "5"].map((name) => pngFile(`${name}.png`)));
    await uploaded(page, 4);
    expect(await page.locator(".too-many").textContent()).toBe("You can attach up to 4 files to a message.");
    await site.picture(page, "attachments-too-many");
  });

  it("an upload continues after the connection was lost, and the message waits for it", async () => {
    const { page } = await site.visit({ attachments: both });
    await openChat(page);
    await page.route("**/chat/attachments*", (route) => route.abort());
    await input(page).setInputFiles([photo]);
    const problem = page.locator(".draft .problem");
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/^The connection was lost/);
    await page.locator(".panel textarea").fill("Look");
    expect(await page.locator(".send").isDisabled()).toBe(true);
    await site.picture(page, "attachments-offline");
    await page.unroute("**/chat/attachments*");
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await uploaded(page, 1);
    await page.locator(".send").click();
    await replyOver(page);
    await drawn(page, 1);
  });

  it("a message that could not be sent is sent again with its attachments, once", async () => {
    const { page, agentId } = await site.visit({ attachments: both });
    await openChat(page);
    await input(page).setInputFiles([photo]);
    await uploaded(page, 1);
    await page.route("**/chat", (route) => route.abort());
    await ask(page, "Look");
    const retry = page.locator(".failure button");
    await retry.waitFor({ timeout: 60_000 });
    await page.unroute("**/chat");
    await retry.click();
    await replyOver(page);
    const { messages } = await lastMessages(agentId);
    expect(
      messages.map(({ content, attachments }: { content: string; attachments: unknown[] }) => [
        content,
        attachments.length,
      ]),
    ).toEqual([
      ["Look", 1],
      ["That is a bike.", 0],
    ]);
  });

  it.each([
    ["light", { viewport: { width: 1000, height: 800 } }],
    ["dark", phone],
  ] as const)("the viewer works with the keyboard, zooms and returns the focus in %s", async (colorScheme, context) => {
    const { page, problems } = await site.visit({ attachments: both }, { context: { ...context, colorScheme } });
    await openChat(page);
    await input(page).setInputFiles([photo, pngFile("dot.png"), manual]);
    await uploaded(page, 3);
    await site.picture(page, `attachments-drafts-${colorScheme}`);
    await ask(page, "What is it?");
    await replyOver(page);
    await drawn(page, 2);
    await site.picture(page, `attachments-chat-${colorScheme}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await measureOverflow(page)).toBe(0);
    await page.getByRole("button", { name: "Open picture IMG_2041.jpg" }).press("Enter");
    const viewer = page.getByRole("dialog", { name: "Pictures" });
    await viewer.locator("canvas.drawn").waitFor();
    expect(await viewer.locator(".viewer-name").textContent()).toBe("IMG_2041.jpg 1/2");
    await site.picture(page, `attachments-viewer-${colorScheme}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("+");
    await expect.poll(() => viewer.locator(".stage").getAttribute("data-zoom")).toBe("1.5");
    await page.keyboard.press("0");
    await expect.poll(() => viewer.locator(".stage").getAttribute("data-zoom")).toBe("1");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => viewer.locator(".viewer-name").textContent()).toBe("dot.png 2/2");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => viewer.locator(".viewer-name").textContent()).toBe("IMG_2041.jpg 1/2");
    await page.keyboard.press("Escape");
    await viewer.waitFor({ state: "detached" });
    expect(await page.locator(".panel").isVisible()).toBe(true);
    const focused = await page
      .locator(".picture")
      .first()
      .evaluate((button) => button.matches(":focus"));
    expect(focused).toBe(true);
    expect(problems).toEqual([]);
  });

  it("a file is saved under its name", async () => {
    const { page } = await site.visit({ attachments: both });
    await openChat(page);
    await input(page).setInputFiles([manual]);
    await uploaded(page, 1);
    await ask(page, "Here");
    await replyOver(page);
    const download = page.waitForEvent("download");
    await page.locator(".file-row").click();
    expect((await download).suggestedFilename()).toBe("manual.pdf");
  });

  it("from right to left, the controls and the viewer are mirrored", async () => {
    const { page } = await site.visit({ attachments: both, widget: { locale: "ar" } });
    await openChat(page);
    await input(page).setInputFiles([photo, pngFile("dot.png")]);
    await uploaded(page, 2);
    await ask(page, "ما هذا؟");
    await replyOver(page);
    await drawn(page, 2);
    await page.locator(".picture").first().click();
    await page.locator(".viewer canvas.drawn").waitFor();
    await site.picture(page, "attachments-viewer-rtl");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.locator(".viewer-name").textContent()).toBe("dot.png 2/2");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await site.picture(page, "attachments-rtl");
  });

  it("a page loads no code for attachments of an agent that allows none", async () => {
    const { page } = await site.visit({});
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await openChat(page);
    await ask(page, "Hello");
    await replyOver(page);
    expect(requested.filter((url) => url.includes("attachment"))).toEqual([]);
    expect(await page.locator(".attach").count()).toBe(0);
  });

  it("with handoffOnly, attachments appear when a person has the conversation", async () => {
    const { page, agentId } = await site.visit({
      attachments: { ...both, handoffOnly: true },
      handoff: { isEnabled: true },
    });
    await openChat(page);
    await ask(page, "Hello");
    await replyOver(page);
    expect(await page.locator(".attach").count()).toBe(0);
    const { id } = await lastMessages(agentId);
    const { email } = await createMember(site.server, site.owner.organizationId, "admin");
    const member = await signedInBrowser(site.server, email);
    expect((await member.call("POST", `/conversations/${id}/takeover`)).status).toBe(200);
    await page.locator(".attach").waitFor();
    await input(page).setInputFiles([photo]);
    await uploaded(page, 1);
    await page.locator(".panel textarea").press("Enter");
    await drawn(page, 1);
    const { messages } = await lastMessages(agentId);
    expect(messages.at(-1).attachments).toHaveLength(1);
    expect((await member.call("POST", `/conversations/${id}/return`, {})).status).toBe(200);
    await page.locator(".attach").waitFor({ state: "detached" });
  });

  it("a member sees the visitor's picture in the inbox, answers with one of their own, and the visitor sees it", async () => {
    const { page, agentId } = await site.visit({ attachments: both, handoff: { isEnabled: true } });
    await openChat(page);
    await input(page).setInputFiles([photo, manual]);
    await uploaded(page, 2);
    await ask(page, "What is it?");
    await replyOver(page);
    const { id } = await lastMessages(agentId);
    const { email } = await createMember(site.server, site.owner.organizationId, "admin");
    const { page: desk, problems } = await site.browser.open({ viewport: { width: 1440, height: 900 } });
    await desk.request.post(`${site.server.url}/auth/sign-in/email`, { data: { email, password } });
    await desk.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${id}`);
    const thumbnail = desk.getByRole("button", { name: "Open picture IMG_2041.jpg" });
    const width = () => thumbnail.locator("img").evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await expect.poll(width).toBe(1176);
    await thumbnail.click();
    const viewer = desk.getByRole("dialog", { name: "IMG_2041.jpg" });
    await viewer.waitFor();
    await site.picture(desk, "inbox-viewer");
    expect(await accessibilityProblems(desk)).toEqual([]);
    await desk.keyboard.press("Escape");
    await viewer.waitFor({ state: "detached" });
    expect(await thumbnail.evaluate((button) => button.matches(":focus"))).toBe(true);
    const download = desk.waitForEvent("download");
    await desk.getByRole("link", { name: /manual\.pdf/ }).click();
    expect((await download).suggestedFilename()).toBe("manual.pdf");
    await desk.getByRole("button", { name: "Take over" }).click();
    await desk.getByLabel("Message to the visitor").waitFor();
    await desk.locator("footer input[type=file]").setInputFiles([pngFile("answer.png")]);
    await desk
      .getByRole("list", { name: "Attachments" })
      .getByText(/^\d+ K?B$/)
      .waitFor();
    await site.picture(desk, "inbox-draft");
    expect(await accessibilityProblems(desk)).toEqual([]);
    await desk.getByRole("button", { name: "Send", exact: true }).click();
    await desk.getByRole("button", { name: "Open picture answer.png" }).waitFor();
    await page.locator(".reply .attached canvas.drawn").waitFor();
    await site.picture(page, "visitor-sees-answer");
    await desk.getByText("Internal note", { exact: true }).click();
    await desk.locator("footer input[type=file]").setInputFiles([manual]);
    await desk
      .getByRole("list", { name: "Attachments" })
      .getByText(/^\d+ K?B$/)
      .waitFor();
    await desk.getByRole("button", { name: "Add note" }).click();
    await expect.poll(() => desk.getByRole("link", { name: /manual\.pdf/ }).count()).toBe(2);
    await site.picture(desk, "inbox-note");
    expect(problems).toEqual([]);
  });

  it("the agent's settings allow attachments, and the playground then accepts them", async () => {
    const agentId = await site.createAgent();
    const { email } = await createMember(site.server, site.owner.organizationId, "admin");
    const { page: desk, problems } = await site.browser.open({ viewport: { width: 1440, height: 900 } });
    await desk.request.post(`${site.server.url}/auth/sign-in/email`, { data: { email, password } });
    await desk.goto(`${site.server.url}/dashboard/agents/${agentId}`);
    await desk.getByLabel("Pictures", { exact: true }).click();
    await desk.getByRole("button", { name: "Save", exact: true }).click();
    await desk.getByText("Saved", { exact: true }).waitFor();
    await desk.getByText("Only while a person helps").scrollIntoViewIfNeeded();
    await site.picture(desk, "agent-settings");
    const { body } = await site.owner.call("GET", `/agents/${agentId}`);
    expect(body.data.attachments).toEqual({ images: true, files: false, handoffOnly: false });
    const playground = desk.getByRole("region", { name: /^Try / });
    await playground.locator("input[type=file]").setInputFiles([photo]);
    await playground
      .getByRole("list", { name: "Attachments" })
      .getByText(/^\d+ K?B$/)
      .waitFor();
    await playground.getByLabel(/^Message to/).fill("What is it?");
    await playground.getByRole("button", { name: "Send" }).click();
    await playground.getByText("That is a bike.").waitFor();
    await playground.getByRole("button", { name: "Open picture IMG_2041.jpg" }).waitFor();
    await site.picture(desk, "playground");
    expect(problems).toEqual([]);
  });
});
