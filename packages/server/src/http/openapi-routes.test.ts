import Fastify from "fastify";
import { expect, it } from "vitest";
import type { App } from "./app.ts";
import { openApiRoutes } from "./openapi-routes.ts";

it("a request for /openapi.json succeeds after an earlier one failed", async () => {
  const app = Fastify();
  openApiRoutes(app as unknown as App, "http://localhost:3000");
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
