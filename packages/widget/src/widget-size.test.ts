import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const dist = join(import.meta.dirname, "../dist");
const size = (file: string) => readFileSync(join(dist, `${file}.gz`)).length;

/** Bytes as a page loads them, gzip. */
const budgets = { loader: 8 * 1024, all: 40 * 1024 };

it("stays light: the loader that every page has, and all that a chat loads, in the largest language", () => {
  const { panelFile } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  const loader = size("widget.js");
  const panel = size(`widget/${panelFile}`);
  const locales = [...readFileSync(join(dist, `widget/${panelFile}`), "utf8").matchAll(/\.\/([a-z]{2}-[\w-]+\.js)/g)];
  const sizes = locales.map(([, file = ""]) => size(`widget/${file}`));
  expect(new Set(locales.map(([, file]) => file)).size).toBe(11);
  expect(loader).toBeLessThanOrEqual(budgets.loader);
  expect(loader + panel + Math.max(...sizes)).toBeLessThanOrEqual(budgets.all);
});
