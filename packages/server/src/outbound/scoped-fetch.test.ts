import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { openOutbound, startHttpServer } from "../../../../test/outbound-servers.ts";
import { createBoundedFetch, withFetch } from "./scoped-fetch.ts";

const says =
  (text: string): typeof globalThis.fetch =>
  async () =>
    new Response(text);
const fetchText = async () => (await fetch("http://unused.invalid")).text();
const limits = { timeoutMs: 10_000, maxBytes: 1_000 };

it("withFetch applies within its scope at any depth, and nowhere else, even concurrently", async () => {
  const { url } = await startHttpServer((_, response) => void response.end("real"));
  const fetchOutside = async () => (await fetch(url)).text();
  const fetchInside = (name: string) =>
    withFetch(says(name), async () => {
      await wait(1);
      return Promise.all([fetchText(), new Promise((resolve) => setImmediate(() => resolve(fetchText())))]);
    });
  expect(await Promise.all([fetchInside("a"), fetchOutside(), fetchInside("b")])).toEqual([
    ["a", "a"],
    "real",
    ["b", "b"],
  ]);
  expect(await fetchOutside()).toBe("real");
});

it("a bounded fetch returns the whole response with status and headers", async () => {
  const { url } = await startHttpServer(
    (_, response) => void response.writeHead(404, { "x-a": "b" }).end("nothing here"),
  );
  const response = await createBoundedFetch(
    openOutbound().fetch({ trust: "operator", organizationId: null }),
    limits,
  )(url);
  expect([response.status, response.headers.get("x-a"), await response.text()]).toEqual([404, "b", "nothing here"]);
});

it.each([
  ["too long", limits, "too_large"],
  ["too slow", { ...limits, timeoutMs: 100 }, "timeout"],
  ["elsewhere", limits, "redirect"],
] as const)("a bounded fetch fails when the response is %s", async (what, given, kind) => {
  const { url } = await startHttpServer((_, response) => {
    if (what === "elsewhere") return void response.writeHead(302, { location: "http://127.0.0.1:9/" }).end();
    response.write("x".repeat(what === "too long" ? 2_000 : 1));
    // Sends until the reader stops.
    const drip = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(drip));
  });
  const call = createBoundedFetch(openOutbound().fetch({ trust: "operator", organizationId: null }), given)(url);
  await expect(call).rejects.toMatchObject({ name: "OutboundError", kind });
});

it("a bounded fetch ends when its caller aborts", async () => {
  const caller = new AbortController();
  const reason = new Error("gone");
  const { url } = await startHttpServer(() => caller.abort(reason));
  const call = createBoundedFetch(openOutbound().fetch({ trust: "operator", organizationId: null }), limits)(url, {
    signal: caller.signal,
  });
  await expect(call).rejects.toBe(reason);
});
