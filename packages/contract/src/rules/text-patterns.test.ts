import { expect, it } from "vitest";
import * as contract from "../index.ts";
import { describePattern, textPatterns } from "./text-patterns.ts";

/** Every `pattern` within a schema, with its path. The rule `pattern` of a form's field is an object. */
function findPatterns(value: unknown, path: string): Array<{ path: string; pattern: string }> {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    name === "pattern" && typeof child === "string"
      ? [{ path, pattern: child }]
      : findPatterns(child, `${path}.${name}`),
  );
}

it("every pattern of the contract's requests has a message", () => {
  const known: string[] = Object.values(textPatterns);
  const found = Object.entries(contract).flatMap(([name, value]) =>
    typeof value === "object" && "schema" in value ? findPatterns(value.schema, name) : [],
  );
  expect(found.length).toBeGreaterThan(50);
  expect(found.filter(({ pattern }) => !known.includes(pattern))).toEqual([]);
});

it.each([
  ["modelName", "openai/gpt-5", "my model"],
  ["toolName", "leave_message", "Leave message"],
  ["secretName", "SHOP_KEY", "1ST_KEY"],
  ["timeOfDay", "09:30", "9:30"],
  ["date", "2026-12-25", "25.12.2026"],
  ["page", "/blog/**", "blog"],
  ["color", "#f59e0b", "amber"],
  ["languageTag", "de-CH", "German"],
  ["webAddress", "https://", "www.example.com"],
] as const)("the message for the pattern %s has an example, %s, and %s does not match", (name, example, wrong) => {
  const pattern = textPatterns[name];
  expect(describePattern(pattern)).toContain(example);
  expect(name === "webAddress" ? `${example}example.com` : example).toMatch(new RegExp(pattern));
  expect(wrong).not.toMatch(new RegExp(pattern));
});

it("a message never contains a regular expression", () => {
  const messages = [...Object.values(textPatterns), "^x{3}$"].map(describePattern);
  for (const message of messages) expect(message).toMatch(/^(must|is) /);
  expect(messages.join(" ")).not.toMatch(/[[\]\\^$]/);
});
