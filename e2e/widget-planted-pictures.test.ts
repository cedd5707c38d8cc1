import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { plantPictures } from "../test/planted-pictures.ts";
import { sayWords } from "../test/upstream.ts";
import { openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

/** All 200 pictures take 15 s, so without `FOYER_PLANTED_PICTURES=all` the browser sends twelve of them. */
const isComplete = process.env.FOYER_PLANTED_PICTURES === "all";
const pictures = plantPictures().filter((_, number) => isComplete || number % 17 === 1);
const groups = Array.from({ length: Math.ceil(pictures.length / 4) }, (_, group) =>
  pictures.slice(group * 4, group * 4 + 4),
);

let site: WidgetSite;
beforeAll(async () => {
  site = await startWidgetSite({
    env: {
      FOYER_LIMIT_ATTACHMENTS_PER_VISITOR: "0",
      FOYER_LIMIT_ATTACHMENTS_PER_IP: "0",
    },
  });
  site.upstream.script(sayWords("That is a bike."));
});
afterAll(() => site.stop());

it("planted metadata of pictures does not leave the browser", { timeout: 600_000 }, async () => {
  site.host.before(recordUploads);
  const { page, problems, agentId } = await site.visit({ attachments: { images: true } });
  await openChat(page);
  for (const [number, group] of groups.entries()) {
    await page
      .locator(".composer input[type=file]")
      .setInputFiles(group.map(({ name, type, bytes }) => ({ name, mimeType: type, buffer: bytes })));
    await expect.poll(() => page.locator(".draft .time").count()).toBe(group.length);
    await page.locator(".panel textarea").press("Enter");
    await expect.poll(() => site.upstream.exchanges.length).toBe(number + 1);
    await replyOver(page);
  }
  expect(problems).toEqual([]);
  const uploads = await readUploads(page);
  const secrets = pictures.flatMap(({ planted }) => planted);
  const left = (bytes: Buffer) => secrets.filter((secret) => bytes.includes(secret)).map(String);
  expect(uploads).toHaveLength(pictures.length);
  expect(uploads.flatMap(left)).toEqual([]);
  const stored = await readStored(agentId);
  expect(stored).toHaveLength(pictures.length);
  // Of the other formats, browsers do not apply the orientation in Exif. Cameras write JPEG.
  const isJpeg = ({ name }: { name: string }) => name.endsWith(".jpg");
  const sizeOf = ({ name, width, height }: { name: string; width: number; height: number }) => [name, width, height];
  expect(stored.filter(isJpeg).map(sizeOf)).toEqual(pictures.filter(isJpeg).map(sizeOf));
  expect(stored.flatMap(({ content }) => left(content))).toEqual([]);
  expect(stored.filter(({ content }) => /Exif|eXIf|EXIF|xmp|8BIM/.test(content.toString("latin1")))).toEqual([]);
});

/** A script that keeps what the page uploads, because Playwright does not read the bodies of such requests. */
const recordUploads = `
  window.uploads = [];
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (body) {
    window.uploads.push(body);
    send.call(this, body);
  };
`;

async function readUploads(page: Page): Promise<Buffer[]> {
  const uploads = await page.evaluate(async () => {
    const blobs: Blob[] = Reflect.get(window, "uploads");
    return Promise.all(blobs.map(async (blob) => Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => byte)));
  });
  return uploads.map((bytes) => Buffer.from(bytes));
}

/** The pictures of the agent's one conversation, as members download them. */
async function readStored(agentId: string) {
  const [{ id }] = (await site.owner.call("GET", `/conversations?agentId=${agentId}`)).body.data;
  const { messages } = (await site.owner.call("GET", `/conversations/${id}?limit=200`)).body.data;
  const stored: Array<{ name: string; width: number; height: number; content: Buffer }> = [];
  for (const { url, ...picture } of messages.flatMap(({ attachments }: { attachments: unknown[] }) => attachments)) {
    const { headers } = site.owner;
    const { rawPayload: content } = await site.server.app.inject({ method: "GET", url, headers });
    stored.push({ ...picture, content });
  }
  return stored;
}
