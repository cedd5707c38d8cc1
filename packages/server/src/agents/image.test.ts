import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

const start = {
  png: Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1"),
  jpeg: Buffer.from("\xff\xd8\xff\xe0rest", "latin1"),
  gif: Buffer.from("GIF89arest"),
  webp: Buffer.from("RIFF\x04\x00\x00\x00WEBP", "latin1"),
};
const dataUrl = (content: Buffer, type = "image/png") => `data:${type};base64,${content.toString("base64")}`;

onBothDatabases("an agent's images", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Account;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    owner = await server.createAccount();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const put = (id: string, kind: string, image: string, account = owner) =>
    account.call("PUT", `/agents/${id}/images/${kind}`, { image });
  const get = (url: string, headers = {}) => server.app.inject({ url, headers });

  it.each(Object.entries(start))("serves an uploaded %s with the type of its content", async (format, content) => {
    const id = await createAgent(owner);
    const { status, body } = await put(id, "logo", dataUrl(content, "image/svg+xml"));
    expect(status).toBe(200);
    const { logo, avatar } = body.data.images;
    expect(avatar).toBeNull();
    expect(logo).toMatch(new RegExp(`^/agents/${id}/images/logo\\?v=[\\w-]{16}$`));
    const { headers, rawPayload } = await get(logo);
    expect(rawPayload).toEqual(content);
    expect(headers).toMatchObject({
      "content-type": `image/${format}`,
      "content-disposition": `inline; filename="logo.${format}"`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": "public, max-age=31536000, immutable",
    });
  });

  it.each([
    ["an SVG", dataUrl(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>"), "image/svg+xml")],
    ["an SVG that is declared as a PNG", dataUrl(Buffer.from("<svg/>"))],
    ["an empty file", dataUrl(Buffer.alloc(0))],
    ["a web address", "https://shop.example/logo.png"],
    ["a data URL without base64", "data:image/png,abc"],
    ["257 KiB", dataUrl(Buffer.concat([start.png, Buffer.alloc(256 * 1024)]))],
  ])("refuses %s as an agent's image", async (_, image) => {
    const id = await createAgent(owner);
    const { status, body } = await put(id, "avatar", image);
    expect([status, body.error.details[0].path]).toEqual([400, "image"]);
    expect((await owner.call("GET", `/agents/${id}`)).body.data.images.avatar).toBeNull();
  });

  it("accepts an image of exactly 256 KiB", async () => {
    const content = Buffer.concat([start.png, Buffer.alloc(256 * 1024 - start.png.length)]);
    expect((await put(await createAgent(owner), "launcher", dataUrl(content))).status).toBe(200);
  });

  it("changes an image's path with its content, and responds to the old path with the new image uncached", async () => {
    const id = await createAgent(owner);
    const before = (await put(id, "avatar", dataUrl(start.png))).body.data.images.avatar;
    const after = (await put(id, "avatar", dataUrl(start.gif))).body.data.images.avatar;
    expect(after).not.toBe(before);
    const { headers } = await get(before);
    expect([headers["content-type"], headers["cache-control"]]).toEqual(["image/gif", "no-cache"]);
    const repeated = await get(before, { "if-none-match": headers.etag });
    expect([repeated.statusCode, repeated.body]).toEqual([304, ""]);
    const widget = await get(`/agents/${id}/widget`);
    expect(widget.json().data.images).toEqual({ logo: null, avatar: after, launcher: null });
  });

  it("removes an image, and deletes the rest together with the agent", async () => {
    const id = await createAgent(owner);
    const { logo } = (await put(id, "logo", dataUrl(start.png))).body.data.images;
    const { avatar } = (await put(id, "avatar", dataUrl(start.png))).body.data.images;
    const { body } = await owner.call("DELETE", `/agents/${id}/images/logo`);
    expect(body.data.images).toEqual({ logo: null, avatar, launcher: null });
    expect([(await get(logo)).statusCode, (await get(avatar)).statusCode]).toEqual([404, 200]);
    await owner.call("DELETE", `/agents/${id}`);
    expect((await get(avatar)).statusCode).toBe(404);
  });

  it("copies the images to an agent's duplicate, which keeps them when the original changes", async () => {
    const id = await createAgent(owner);
    await put(id, "logo", dataUrl(start.png));
    const { images } = (await owner.call("POST", `/agents/${id}/duplicate`)).body.data;
    await owner.call("DELETE", `/agents/${id}/images/logo`);
    const { rawPayload } = await get(images.logo);
    expect(rawPayload).toEqual(start.png);
  });

  it("changes no image of another organization's agent", async () => {
    const id = await createAgent(owner);
    await put(id, "logo", dataUrl(start.png));
    const stranger = await server.createAccount();
    expect((await put(id, "logo", dataUrl(start.gif), stranger)).status).toBe(404);
    expect((await stranger.call("DELETE", `/agents/${id}/images/logo`)).status).toBe(404);
    const { logo } = (await owner.call("GET", `/agents/${id}`)).body.data.images;
    expect((await get(logo)).headers["content-type"]).toBe("image/png");
  });
});
