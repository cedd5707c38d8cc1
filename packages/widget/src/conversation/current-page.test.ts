import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { currentPage } from "./current-page.ts";

const page = (context: unknown, { sendsPage = true } = {}) =>
  currentPage({
    agent: { pageQuery: ["bike"] },
    options: { sendsPage },
    registry: { context },
  } as Parameters<typeof currentPage>[0]);

beforeEach(() => {
  vi.stubGlobal("location", { href: "https://shop.example/reset?token=secret&bike=7#top" });
  vi.stubGlobal("document", { title: "Trail bikes", documentElement: { lang: "de-CH" } });
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("a message includes the page's title and language, and only the listed parts of its URL", () => {
  const context = { productId: "tern" };
  const url = "https://shop.example/reset?bike=7";
  expect(page(context)).toEqual({ url, title: "Trail bikes", language: "de-CH", context });
  expect(page(context, { sendsPage: false })).toEqual({ context });
});

it("a URL, title or language that the server would reject is shortened in a message", () => {
  vi.stubGlobal("location", { href: `https://shop.example/${"a".repeat(30_000)}` });
  vi.stubGlobal("document", { title: "a".repeat(30_000), documentElement: { lang: "a".repeat(300) } });
  const { url, title, language } = page({});
  expect([url?.length, title?.length, language?.length]).toEqual([2_000, 1_000, 100]);
});

it("a context that the server would reject is left out of a message, and the site's developer is warned once", () => {
  const large = { text: "ü".repeat(2_045) };
  for (const refused of [large, large, ["tern"]]) expect(page(refused).context).toBeNull();
  expect(console.warn).toHaveBeenCalledTimes(2);
  expect(console.warn).toHaveBeenCalledWith("Foyer: setContext left out context (more than 4096 bytes of JSON).");
  expect(page({ text: "ü".repeat(2_042) }).context).toEqual({ text: "ü".repeat(2_042) });
});
