import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const dist = join(import.meta.dirname, "../dist");
const size = (file: string) => readFileSync(join(dist, `${file}.gz`)).length;

/** Bytes as a page loads them, gzip. */
const budgets = { loader: 8 * 1024, all: 40 * 1024, forms: 12 * 1024 };

/** A file with all that it cannot begin without. */
function withImports(file: string): string[] {
  const text = readFileSync(join(dist, `widget/${file}`), "utf8");
  return [
    file,
    ...[...text.matchAll(/(?:from|import)\s*["'`]\.\/([\w-]+\.js)/g)].flatMap(([, name = ""]) => withImports(name)),
  ];
}

it("stays light: the loader that every page has, and all that a chat loads, in the largest language", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  const locales = readdirSync(join(dist, "widget")).filter((name) => /^[a-z]{2}-[\w-]+\.js$/.test(name));
  expect(locales).toHaveLength(11);
  const loader = size("widget.js");
  const parts = new Set([partFiles.panel, partFiles.triggers, partFiles.acting].flatMap(withImports));
  const sizes = [...parts, ...locales].map((file) => ({ file, bytes: size(`widget/${file}`) }));
  const all = sizes.filter(({ file }) => parts.has(file)).reduce((sum, { bytes }) => sum + bytes, loader);
  const largest = Math.max(...sizes.filter(({ file }) => locales.includes(file)).map(({ bytes }) => bytes));
  expect(loader).toBeLessThanOrEqual(budgets.loader);
  expect(all + largest).toBeLessThanOrEqual(budgets.all);
});

it("loads what forms need with the first form, and nothing twice", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  expect(withImports(partFiles["mount-form"])).toEqual([partFiles["mount-form"], partFiles.panel]);
  expect(size(`widget/${partFiles["mount-form"]}`)).toBeLessThanOrEqual(budgets.forms);
});
