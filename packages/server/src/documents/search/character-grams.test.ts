import { expect, it } from "vitest";
import { hashGrams } from "./character-grams.ts";

const hashesOf = (text: string): number[] => [...hashGrams(text)];

it.each([
  ["punctuation and repeated spaces", "Öffnungszeiten,  heute: 9–18!", "öffnungszeiten heute 9 18"],
  ["emoji between words", "bike😀rental 😀", "bike rental"],
  ["halves of characters", "bike\ud800rental\udc00", "bike rental"],
  ["compatibility forms", "ｂｉｋｅ ﬁt", "bike fit"],
])("the grams of a text do not depend on %s", (_, text, same) => {
  expect(hashesOf(text)).toEqual(hashesOf(same));
  expect(hashesOf(text)).not.toEqual([]);
});

it("the grams of a text include characters beyond the basic plane, and a text of one letter has none", () => {
  expect(hashesOf("𠮷野家")).not.toEqual(hashesOf("野家"));
  expect(["", " ", "a", "!?"].flatMap(hashesOf)).toEqual([]);
});
