import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { texts as attachments } from "./attachments/texts/attachment-en.ts";
import { texts as forms } from "./forms/texts/form-en.ts";
import { texts as handoff } from "./handoff/texts/handoff-en.ts";
import { texts as english } from "./locales/en.ts";
import { texts as rating } from "./rating/texts/rating-en.ts";

const dist = join(import.meta.dirname, "../dist");
const size = (file: string) => readFileSync(join(dist, `${file}.gz`)).length;

/** Compressed (gzip) size in bytes. */
const budgets = {
  loader: 7_900,
  chat: 45_056,
  triggers: 6.5 * 1024,
  forms: 14.75 * 1024,
  displays: 2.5 * 1024,
  handoff: 9.75 * 1024,
  attachments: 8.75 * 1024,
  rating: 3.5 * 1024,
};

/** A file and its static imports. */
function withImports(file: string): string[] {
  const text = readFileSync(join(dist, `widget/${file}`), "utf8");
  return [
    file,
    ...[...text.matchAll(/(?:from|import)\s*["'`]\.\/([\w-]+\.js)/g)].flatMap(([, name = ""]) => withImports(name)),
  ];
}

it("the loader, the chat in its largest language, and the triggers stay within their size limits", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  const locales = readdirSync(join(dist, "widget")).filter((name) => /^[a-z]{2}-[\w-]+\.js$/.test(name));
  expect(locales).toHaveLength(12);
  const loader = size("widget.js");
  const sizeOf = (...entries: string[]) =>
    [...new Set(entries.flatMap(withImports))].reduce((sum, file) => sum + size(`widget/${file}`), 0);
  const largest = Math.max(...locales.map((file) => size(`widget/${file}`)));
  expect(loader).toBeLessThanOrEqual(budgets.loader);
  expect(loader + sizeOf(partFiles.visitor, partFiles.panel) + largest).toBeLessThanOrEqual(budgets.chat);
  expect(sizeOf(partFiles.triggers, partFiles.actions)).toBeLessThanOrEqual(budgets.triggers);
});

it("the chat loads the texts of one language, whichever it is", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  const texts: Record<string, string> = { ...english, ...forms, ...handoff, ...attachments, ...rating };
  for (const part of ["panel", "mount-form", "start-handoff", "mount-attachments", "mount-rating"]) {
    const code = readFileSync(join(dist, `widget/${partFiles[part]}`), "utf8");
    expect(Object.values(texts).filter((text) => text.length > 20 && code.includes(text))).toEqual([]);
  }
});

it("the form code loads only with the first form, without duplicating shared code", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  expect(withImports(partFiles["mount-form"])).toEqual([partFiles["mount-form"], partFiles.panel]);
  const texts = readdirSync(join(dist, "widget")).filter((name) => /^form-[a-z]{2}-[\w-]+\.js$/.test(name));
  expect(texts).toHaveLength(12);
  const largest = Math.max(...texts.map((file) => size(`widget/${file}`)));
  expect(size(`widget/${partFiles["mount-form"]}`) + largest).toBeLessThanOrEqual(budgets.forms);
});

it("the code for results of tools loads only with the first one that is not text", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  const displays = partFiles["mount-display"];
  expect(withImports(displays)).toEqual([displays, partFiles.panel]);
  expect(size(`widget/${displays}`)).toBeLessThanOrEqual(budgets.displays);
});

it("the handoff code loads separately, in one language", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  const handoff = partFiles["start-handoff"];
  expect(withImports(handoff)).toEqual([handoff, partFiles.panel]);
  const texts = readdirSync(join(dist, "widget")).filter((name) => /^handoff-[a-z]{2}-[\w-]+\.js$/.test(name));
  expect(texts).toHaveLength(12);
  const largest = Math.max(...texts.map((file) => size(`widget/${file}`)));
  expect(size(`widget/${handoff}`) + largest).toBeLessThanOrEqual(budgets.handoff);
});

it("the code for attachments loads only for an agent that allows them or a message that has some, in one language", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  const attachments = partFiles["mount-attachments"];
  // Forms prepare photos with the same code.
  const prepare = expect.stringMatching(/^prepare-picture-[\w-]+\.js$/);
  expect(withImports(attachments)).toEqual([attachments, partFiles.panel, prepare]);
  const texts = readdirSync(join(dist, "widget")).filter((name) => /^attachment-[a-z]{2}-[\w-]+\.js$/.test(name));
  expect(texts).toHaveLength(12);
  const largest = Math.max(...texts.map((file) => size(`widget/${file}`)));
  expect(size(`widget/${attachments}`) + largest).toBeLessThanOrEqual(budgets.attachments);
});

it("the code for ratings loads only for an agent that asks for them, in one language", () => {
  const { partFiles } = JSON.parse(readFileSync(join(dist, "build.json"), "utf8"));
  const rating = partFiles["mount-rating"];
  expect(withImports(rating)).toEqual([rating, partFiles.panel]);
  const texts = readdirSync(join(dist, "widget")).filter((name) => /^rating-[a-z]{2}-[\w-]+\.js$/.test(name));
  expect(texts).toHaveLength(12);
  const largest = Math.max(...texts.map((file) => size(`widget/${file}`)));
  expect(size(`widget/${rating}`) + largest).toBeLessThanOrEqual(budgets.rating);
});
