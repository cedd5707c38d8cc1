import { describe, expect, it } from "vitest";
import { filterOptions, insertPlaceholder, openPlaceholderAt, placeholderOptions } from "./placeholders.ts";

const options = placeholderOptions({
  inputs: [{ name: "bike" }, { name: "" }],
  secrets: [{ name: "STOCK_KEY", hosts: ["stock.example"] }],
});

/** The options at the caret, which is written as `|`. */
function listOffered(marked: string, isJson = false): string[] | null {
  const caret = marked.indexOf("|");
  const open = openPlaceholderAt(marked.replace("|", ""), caret, isJson);
  return open && filterOptions(options, open).map(({ value }) => value);
}

/** The text after choosing an option at the caret, with the new caret. */
function choosePlaceholder(marked: string, value: string, isJson = false): string {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const { start, end } = openPlaceholderAt(text, caret, isJson) ?? { start: caret, end: caret };
  const next = insertPlaceholder(text, value, { start, end, isJson });
  return `${next.text.slice(0, next.caret)}|${next.text.slice(next.caret)}`;
}

describe("the placeholders of a request", () => {
  it("are offered from the first brace on, and narrowed by what is typed", () => {
    expect(listOffered("https://shop.example/{|")).toEqual(options.map(({ value }) => value));
    expect(listOffered("https://shop.example/{bi|/x")).toEqual(["{bike}"]);
    expect(listOffered("?key={{st|")).toEqual(["{{STOCK_KEY}}"]);
    expect(listOffered("/{{visitor.e|}}")).toEqual(["{{visitor.email}}"]);
    expect(listOffered("/{bike}|")).toBeNull();
    expect(listOffered("/bike|")).toBeNull();
  });

  it("are offered only within the strings of a JSON body", () => {
    expect(listOffered('{|\n  "a": 1\n}', true)).toBeNull();
    expect(listOffered('{ "say \\"hi\\"": {|', true)).toBeNull();
    expect(listOffered('{ "to": "{{visitor.i|" }', true)).toEqual(["{{visitor.id}}"]);
  });

  it("replace what was typed of them, and leave the caret where a claim needs its name", () => {
    expect(choosePlaceholder("/users/{{vis|/x", "{{visitor.id}}")).toBe("/users/{{visitor.id}}|/x");
    expect(choosePlaceholder("/{{visitor.em|ail}}/x", "{{visitor.id}}")).toBe("/{{visitor.id}}|/x");
    expect(choosePlaceholder("/{bi|ke}}", "{bike}")).toBe("/{bike}|}");
    expect(choosePlaceholder("Bearer |", "{{STOCK_KEY}}")).toBe("Bearer {{STOCK_KEY}}|");
    expect(choosePlaceholder("/{{cl|", "{{visitor.claims.}}")).toBe("/{{visitor.claims.|}}");
  });

  it("are quoted in a JSON body where a value is expected", () => {
    expect(choosePlaceholder('{ "to": | }', "{{visitor.id}}", true)).toBe('{ "to": "{{visitor.id}}"| }');
    expect(choosePlaceholder('{ "to": "id |" }', "{{visitor.id}}", true)).toBe('{ "to": "id {{visitor.id}}|" }');
  });
});
