import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

describe("the widget's files", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const get = (url: string, headers = {}) => server.app.inject({ method: "GET", url, headers });
  const panelFile = async () => /panel-[\w-]+\.js/.exec((await get("/widget.js")).body)?.[0] ?? "";

  it("can be loaded from any origin, in the smallest encoding that the browser accepts", async () => {
    const plain = await get("/widget.js");
    expect([plain.statusCode, plain.headers["content-type"], plain.headers["content-encoding"]]).toEqual([
      200,
      "text/javascript; charset=utf-8",
      undefined,
    ]);
    expect(plain.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      vary: "accept-encoding",
    });
    const sizes = [plain.rawPayload.length];
    for (const [accepts, encoding, decode] of [
      ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
      ["deflate, gzip;q=0.8, br;q=0", "gzip", gunzipSync],
    ] as const) {
      const { headers, rawPayload } = await get("/widget.js", { "accept-encoding": accepts });
      expect(headers["content-encoding"]).toBe(encoding);
      expect(decode(rawPayload).equals(plain.rawPayload)).toBe(true);
      sizes.push(rawPayload.length);
    }
    expect(Math.min(...sizes)).toBe(sizes[1]);
  });

  it("are cached forever when their name contains a hash, and revalidated otherwise", async () => {
    const name = await panelFile();
    const [loader, panel, current] = [
      await get("/widget.js"),
      await get(`/widget/${name}`),
      await get("/widget/panel.js"),
    ];
    expect([loader, panel, current].map(({ headers }) => headers["cache-control"])).toEqual([
      "public, max-age=300, stale-while-revalidate=86400",
      "public, max-age=31536000, immutable",
      "no-cache",
    ]);
    expect(current.body).toBe(panel.body);
    // Pages that stay open during an upgrade request every chunk by its plain name.
    for (const part of [
      "visitor",
      "triggers",
      "actions",
      "tools",
      "debug",
      "mount-form",
      "mount-display",
      "mount-attachments",
      "mount-rating",
      "start-handoff",
      "en",
      "form-de",
    ]) {
      expect((await get(`/widget/${part}.js`)).statusCode, part).toBe(200);
    }
    const again = await get("/widget.js", { "if-none-match": loader.headers.etag });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
    const encoded = await get("/widget.js", { "accept-encoding": "br" });
    expect(encoded.headers.etag).not.toBe(loader.headers.etag);
  });

  it("are exactly the built ones", async () => {
    for (const name of [
      "none.js",
      "constructor.js",
      "..%2Fbuild.json",
      "build.json",
      "..%2fwidget.js",
      "panel.js.br",
      "%2e%2e%2f%2e%2e%2fpackage.json",
    ]) {
      expect([name, (await get(`/widget/${name}`)).statusCode]).toEqual([name, 404]);
    }
  });
});
