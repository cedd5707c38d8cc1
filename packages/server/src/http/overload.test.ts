import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ env: { FOYER_MAX_LAG: "150ms" } });
});
afterAll(() => server.stop());

const get = (url: string) => server.app.inject({ method: "GET", url });

it("an overloaded server refuses work and still reports that it is alive", async () => {
  let refused = await get("/openapi.json");
  for (const deadline = Date.now() + 20_000; refused.statusCode !== 503 && Date.now() < deadline; ) {
    const until = performance.now() + 300;
    while (performance.now() < until);
    await wait(1);
    refused = await get("/openapi.json");
  }
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ data: null, error: { code: "OVERLOADED" } });
  expect(refused.headers["retry-after"]).toBe("2");
  expect((await get("/healthz")).statusCode).toBe(200);
  await expect.poll(async () => (await get("/openapi.json")).statusCode).toBe(200);
});
