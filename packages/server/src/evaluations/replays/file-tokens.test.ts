import { expect, it } from "vitest";
import { guessFileTokens, limitTokens } from "./file-tokens.ts";

const picture = { type: "image/jpeg", size: 300_000 };
const pdf = { type: "application/pdf", size: 200_000 };

it("counts the pictures that a model receives, and no files that it receives as text", () => {
  expect(limitTokens(Array(9).fill(picture))).toBe(limitTokens(Array(4).fill(picture)));
  expect([limitTokens([{ type: "text/plain", size: 1_000 }]), guessFileTokens([])]).toEqual([0, 0]);
});

it.each([[[picture]], [[pdf]], [[picture, pdf, pdf]]])("expects fewer tokens of %j than it reserves", (files) => {
  expect(guessFileTokens(files)).toBeGreaterThan(0);
  expect(guessFileTokens(files)).toBeLessThan(limitTokens(files));
});
