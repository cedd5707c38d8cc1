import { describe, expect, it } from "vitest";
import { withoutMarkdown, withPlainNumbers, withPlainSigns } from "./plain-text.ts";

const plain = (text: string) => withPlainNumbers(withPlainSigns(withoutMarkdown(text)).toLowerCase());

describe("a text in plain signs", () => {
  it.each([
    ["an apostrophe", "don’t", "don't"],
    ["a modifier letter as apostrophe", "donʼt", "don't"],
    ["quotes", "“yes” „ja“ «oui»", '"yes" "ja" "oui"'],
    ["a non-breaking hyphen", "e\u2011bike", "e-bike"],
    ["a dash", "9–18", "9-18"],
    ["a minus sign", "−5", "-5"],
    ["a no-break space", "50\u00a0€", "50 €"],
    ["a narrow no-break space", "1\u202f200\u202f€", "1200 €"],
    ["a soft hyphen", "guar\u00adantee", "guarantee"],
    ["a zero-width space", "guar\u200bantee", "guarantee"],
    ["a left-to-right mark", "50\u200e €", "50 €"],
    ["an ellipsis", "wait…", "wait..."],
    ["full-width digits", "５０", "50"],
    ["a ligature", "oﬃce", "office"],
    ["bold words", "**50 EUR** per day", "50 eur per day"],
    ["words of a link", "see [our prices](https://shop.example/p)", "see our prices"],
    ["a heading", "## Prices", "prices"],
    ["an item of a list", "- one\n- two", "one two"],
    ["code", "`stock_lookup`", "stock_lookup"],
    ["an escaped sign", "1\\. May", "1. may"],
  ])("is the same with %s", (_, written, expected) => {
    expect(plain(written)).toBe(plain(expected));
  });
});

describe("numbers in one form", () => {
  it.each([
    ["a thousands separator", ["1,250", "1.250", "1 250", "1'250", "1’250", "1250"]],
    ["decimals", ["1,250.50", "1.250,50", "1 250,50", "1250.5"]],
    ["decimals of nothing", ["50", "50.00", "50,00", "50.0"]],
    ["an evening hour", ["18:00", "6 pm", "6pm", "6 p.m.", "6:00 PM", "18 Uhr", "18.00 Uhr", "18h", "18h00"]],
    ["a morning hour", ["09:30", "9:30", "9:30 am", "9.30 Uhr"]],
    ["midnight and noon", ["12 am", "00:00"]],
    ["noon", ["12 pm", "12:00", "12 Uhr"]],
    ["opening hours", ["9–18 Uhr", "9-18 Uhr", "09:00 - 18:00", "9:00 - 18:00"]],
    ["a day", ["24 Dec", "24/12", "24 December", "December 24", "24th of December", "24. Dezember", "am 24.12."]],
    ["a day in Romance languages", ["24 décembre", "24 de diciembre", "24 dicembre", "24 de dezembro", "24/12"]],
    ["a day with its year", ["2026-12-24", "24.12.2026", "24/12/2026", "24/12/26", "December 24, 2026", "12/24/2026"]],
    [
      "a phone number",
      ["+49 30 1234567", "+49\u00a030\u00a01234567", "030 1234567", "030/123 45 67", "+49 (0)30 123-4567"],
    ],
  ])("are the same for %s", (_, written) => {
    const forms = written.map((text) =>
      plain(text)
        .replace(/[^a-z0-9:/. -]|\bam (?=\d)/g, "")
        .replace(/ +/g, " ")
        .trim(),
    );
    expect(new Set(forms)).toEqual(new Set([forms[0]]));
  });

  it.each([
    ["another price", "50 €", "60 €"],
    ["another hour", "6 pm", "6 am"],
    ["another day", "24 Dec", "25 Dec"],
    ["another month", "24 Nov", "24 Dec"],
    ["ten times as much", "1.250", "12.50"],
    ["another phone number", "030 1234567", "030 1234568"],
    ["two numbers in a row", "in 2024 200 bikes", "in 2024200 bikes"],
    ["a price at the end of a sentence", "It costs 24.12.", "It is on 24/12."],
  ])("differ for %s", (_, one, other) => {
    expect(plain(one)).not.toBe(plain(other));
  });
});
