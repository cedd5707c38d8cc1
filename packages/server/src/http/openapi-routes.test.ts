import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify from "fastify";
import { expect, it, onTestFinished } from "vitest";
import type { App } from "./app.ts";
import { openApiRoutes } from "./openapi-routes.ts";

const options = { baseUrl: "https://chat.example", admit: async () => {} };

it("a request for /openapi.json succeeds after an earlier one failed", async () => {
  const app = Fastify();
  openApiRoutes(app as unknown as App, options);
  let isBroken = true;
  const schema = {
    get hide() {
      if (isBroken) throw new Error("The description cannot be generated.");
      return false;
    },
  };
  app.get("/pages", { schema }, () => "");
  const get = () => app.inject({ url: "/openapi.json" });
  expect((await get()).statusCode).toBe(500);
  isBroken = false;
  const [first, second] = await Promise.all([get(), get()]);
  expect(Object.keys(first.json().paths)).toEqual(["/pages"]);
  expect(second.body).toBe(first.body);
  await app.close();
});

function startApp() {
  const app = Fastify();
  onTestFinished(() => app.close());
  openApiRoutes(app as unknown as App, options);
  app.get("/pages", { schema: { summary: "Pages" } }, () => "");
  return (headers: Record<string, string> = {}) => app.inject({ url: "/openapi.json", headers });
}

it("/openapi.json is sent compressed, and not again to a client that has it", async () => {
  const get = startApp();
  const plain = await get();
  const [brotli, gzipped] = await Promise.all([
    get({ "accept-encoding": "gzip, br" }),
    get({ "accept-encoding": "gzip" }),
  ]);
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body);
  expect(gunzipSync(gzipped.rawPayload).toString()).toBe(plain.body);
  const again = await get({ "if-none-match": String(brotli.headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
});
