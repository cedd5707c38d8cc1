import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems, expectFit } from "../test/browser.ts";
import { takePhoto } from "../test/photo.ts";
import { takePictures } from "../test/pictures.ts";
import { createPdf } from "../test/sample-files.ts";
import { createMember, password } from "../test/session-client.ts";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

type SentFile = { name: string; mimeType: string; buffer: Buffer };

const both = { images: true, files: true, handoffOnly: false };
const model = encodeURIComponent("openai-compatible/test");
const NOT_SEEN_BY_VISITOR = "Harbour couldn't see your picture, so this reply doesn't consider it.";
const NOT_SEEN_BY_MEMBER =
  "The model couldn't see a picture. The visitor was told that this reply doesn't consider it.";

// Each screenshot is taken six times, and axe checks each state in both color schemes.
describe("attachments in the dashboard", { timeout: 120_000 }, () => {
  let site: WidgetSite;
  let photo: SentFile;
  let manual: SentFile;
  beforeAll(async () => {
    site = await startWidgetSite();
    const { page } = await site.browser.open();
    await page.goto(site.host.page("/", {}));
    photo = { name: "IMG_2041.jpg", mimeType: "image/jpeg", buffer: await takePhoto(page) };
    manual = { name: "manual.pdf", mimeType: "application/pdf", buffer: createPdf([["City One"]]) };
    await page.close();
  });
  beforeEach(() => site.upstream.script(sayWords("I can't see it. ", "What does it show?")));
  afterAll(() => site.stop());

  const supportImages = async (supportsImages: boolean | null) => {
    const { status } = await site.owner.call("PUT", `/models/settings/${model}`, { supportsImages });
    expect(status).toBe(200);
  };
  const openDesk = async (path: string) => {
    const { email } = await createMember(site.server, site.owner.organizationId, "admin");
    const opened = await site.browser.open({ viewport: { width: 1440, height: 900 } });
    await opened.page.request.post(`${site.server.url}/auth/sign-in/email`, { data: { email, password } });
    await opened.page.goto(`${site.server.url}/dashboard${path}`);
    return opened;
  };
  const newestConversation = async (agentId: string) => {
    const [{ id }] = (await site.owner.call("GET", `/conversations?agentId=${agentId}`)).body.data;
    return { id, messages: (await site.owner.call("GET", `/conversations/${id}`)).body.data.messages };
  };
  /** Drops or pastes a file as the browser does, because Playwright cannot. */
  const transfer = (field: Locator, kind: "drop" | "paste" | "dragover", { name, mimeType, buffer }: SentFile) =>
    field.evaluate(
      (element, { kind, name, type, base64 }) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], name, { type }));
        const options = { bubbles: true, composed: true, cancelable: true };
        element.dispatchEvent(
          kind === "paste"
            ? new ClipboardEvent(kind, { ...options, clipboardData: data })
            : new DragEvent(kind, { ...options, dataTransfer: data }),
        );
      },
      { kind, name, type: mimeType, base64: buffer.toString("base64") },
    );
  const uploaded = (page: Page, count: number) =>
    expect
      .poll(() =>
        page
          .getByRole("list", { name: "Attachments" })
          .getByText(/^[\d.]+ [KM]?B$/)
          .count(),
      )
      .toBe(count);

  it("a visitor, the model and the member know that the model cannot see a picture", async () => {
    await supportImages(false);
    const { page, problems, agentId } = await site.visit({ attachments: both });
    await openChat(page);
    await page.locator(".composer input[type=file]").setInputFiles([photo]);
    await page.locator(".draft .time").waitFor();
    await ask(page, "Is this your bike?");
    await replyOver(page);
    await page.getByText(NOT_SEEN_BY_VISITOR).waitFor();
    const sent: Array<{ role: string }> = JSON.parse(site.upstream.exchanges.at(-1)?.body ?? "{}").messages;
    expect(JSON.stringify(sent.at(-1))).toContain("[picture: IMG_2041.jpg (you cannot see pictures)]");
    expect(JSON.stringify(sent.filter(({ role }) => role === "system"))).not.toContain("IMG_2041");
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "not-seen-visitor");
    await page.reload();
    await page.getByText(NOT_SEEN_BY_VISITOR).waitFor();
    const { id, messages } = await newestConversation(agentId);
    expect(messages.at(-1).notices).toEqual([{ code: "picture_not_seen" }]);
    const { page: desk, problems: deskProblems } = await openDesk(`/agents/${agentId}/conversations/${id}`);
    await desk.getByText(NOT_SEEN_BY_MEMBER).waitFor();
    await desk.getByRole("button", { name: "Open picture IMG_2041.jpg" }).waitFor();
    await takePictures(desk, "not-seen-inbox");
    await expectFit(desk);
    expect([...problems, ...deskProblems]).toEqual([]);
    await supportImages(null);
  });

  it("a member drops and pastes files into the message field, and the visitor gets them", async () => {
    const { page, agentId } = await site.visit({ attachments: both, handoff: { isEnabled: true } });
    await openChat(page);
    await ask(page, "Do you have a plan?");
    await replyOver(page);
    const { id } = await newestConversation(agentId);
    const { page: desk, problems } = await openDesk(`/agents/${agentId}/conversations/${id}`);
    await desk.getByRole("button", { name: "Take over" }).click();
    const field = desk.getByLabel("Message to the visitor");
    await field.waitFor();
    await transfer(field, "dragover", photo);
    await transfer(field, "drop", photo);
    await transfer(field, "paste", manual);
    await uploaded(desk, 2);
    await takePictures(desk, "inbox-dropped");
    await expectFit(desk);
    await field.press("Enter");
    await desk.getByRole("button", { name: "Open picture IMG_2041.jpg" }).waitFor();
    await desk.getByRole("link", { name: /^manual\.pdf/ }).waitFor();
    await page.locator(".reply .attached canvas.drawn").waitFor();
    expect(await page.locator(".reply .file-row .file-name").textContent()).toBe("manual.pdf");
    const { messages } = await newestConversation(agentId);
    expect(messages.at(-1).attachments.map(({ name }: { name: string }) => name)).toEqual([
      "IMG_2041.jpg",
      "manual.pdf",
    ]);
    const stored = await site.server.app.inject({
      method: "GET",
      url: messages.at(-1).attachments[0].url,
      headers: site.owner.headers,
    });
    expect(stored.rawPayload.toString("latin1")).not.toMatch(/Harbour Cam|planted-location/);
    expect(problems).toEqual([]);
  });

  it("the settings of an agent fit every screen", async () => {
    const agentId = await site.createAgent({ attachments: both });
    const { page, problems } = await openDesk(`/agents/${agentId}`);
    await page.getByText("Only while a person helps").scrollIntoViewIfNeeded();
    await takePictures(page, "attachment-settings");
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("the settings of models fit every screen", async () => {
    await supportImages(false);
    const { page, problems } = await openDesk("/settings/models");
    await page.getByRole("row", { name: /openai-compatible\/test/ }).scrollIntoViewIfNeeded();
    await takePictures(page, "picture-settings");
    await expectFit(page);
    expect(problems).toEqual([]);
    await supportImages(null);
  });

  it("the playground takes dropped files, and says what the model cannot see", async () => {
    await supportImages(false);
    const agentId = await site.createAgent({ attachments: both });
    const { page, problems } = await openDesk(`/agents/${agentId}`);
    const playground = page.getByRole("region", { name: /^Try / });
    const field = playground.getByLabel(/^Message to/);
    await transfer(field, "drop", photo);
    await transfer(field, "paste", manual);
    await uploaded(page, 2);
    await takePictures(page, "playground-drafts");
    await expectFit(page);
    await field.fill("Is this your bike?");
    await playground.getByRole("button", { name: "Send" }).click();
    await playground.getByText(NOT_SEEN_BY_MEMBER).waitFor();
    await playground.getByRole("button", { name: "Open picture IMG_2041.jpg" }).waitFor();
    await playground.getByText("manual.pdf").waitFor();
    await takePictures(page, "playground-attachments");
    await expectFit(page);
    expect(problems).toEqual([]);
    await supportImages(null);
  });
});
