import { expect, it } from "vitest";
import { detectLanguage } from "./detect-language.ts";
import { findSimilarTerms } from "./similar-terms.ts";
import { wordsOf } from "./words.ts";

const termsOf = (text: string, ...languages: string[]) => wordsOf(text, languages).map(({ terms }) => terms.join("|"));

it.each([
  ["en", "The bikes were RETURNED", "the bike was return"],
  ["de", "Die Häuser", "die haus"],
  ["fr", "réparations", "reparation"],
  ["es", "garantías", "garantia"],
  ["ru", "ёлки", "елка"],
  ["ar", "الدَّرَّاجَات", "الدراجات"],
])("words in %s are found in another form or without accents", (language, one, other) => {
  expect(termsOf(one, language).at(-1)).toBe(termsOf(other, language).at(-1));
});

it("wordsOf splits Chinese, Japanese and Korean into pairs of characters", () => {
  expect(termsOf("自行车店")).toEqual(["自行", "行车", "车店"]);
  expect(termsOf("店")).toEqual(["店"]);
  expect(termsOf("自転車ABC")).toEqual(["自転", "転車", "abc"]);
});

it("wordsOf splits Thai into the words of a dictionary", () => {
  expect(termsOf("ร้านจักรยาน")).toEqual(["ร้าน", "จักรยาน"]);
});

it("wordsOf folds full-width letters and digits, soft hyphens and typographic apostrophes", () => {
  expect(termsOf("ＡＢＣ１２３ e\u00adbike don’t")).toEqual(["abc123", "ebike", "don't"]);
});

it("wordsOf creates one term for each language that stems a word differently", () => {
  expect(termsOf("communication", "en", "fr", "de")[0]?.split("|").length).toBeGreaterThan(1);
});

it("wordsOf leaves out words longer than 40 characters, which are encoded data", () => {
  expect(termsOf(`key ${"a".repeat(41)} end`)).toEqual(["key", "end"]);
});

it.each([
  ["en", "You can return a bicycle within thirty days if you keep the invoice that came with it."],
  ["de", "Du kannst ein Fahrrad innerhalb von dreißig Tagen zurückgeben, wenn du die Rechnung hast."],
  ["th", "ร้านจักรยาน"],
  ["ja", "自転車はどこですか"],
  ["zh", "自行车店在哪里"],
  [null, "OK"],
])("detectLanguage detects %s", (language, text) => {
  expect(detectLanguage(text)).toBe(language);
});

it("similarTerms matches typos and parts of compounds when a word is not in the index", () => {
  const indexed = ["liefer", "lieferung", "reifen", "refund", "refer", "garantie"];
  expect(findSimilarTerms("lieferkosten", indexed)).toEqual(["liefer"]);
  expect(findSimilarTerms("refnud", indexed)).toEqual(["refund"]);
  expect(findSimilarTerms("garantieleistung", indexed)).toEqual(["garantie"]);
  expect(findSimilarTerms("xylophon", indexed)).toEqual([]);
});
