import { describe, expect, it } from "vitest";
import { insertPlaceholder, matchingOptions, openPlaceholderAt, placeholderOptions } from "./placeholders.ts";

const options = placeholderOptions({
  inputs: [{ name: "bike" }, { name: "" }],
  secrets: [{ name: "STOCK_KEY", hosts: ["stock.example"] }],
});

/** The options at the caret, which is written as `|`. */
function offered(marked: string, isJson = false): string[] | null {
  const caret = marked.indexOf("|");
  const open = openPlaceholderAt(marked.replace("|", ""), caret, isJson);
  return open && matchingOptions(options, open).map(({ value }) => value);
}

/** The text after choosing an option at the caret, with the new caret. */
function chosen(marked: string, value: string, isJson = false): string {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const { start, end } = openPlaceholderAt(text, caret, isJson) ?? { start: caret, end: caret };
  const next = insertPlaceholder(text, value, { start, end, isJson });
  return `${next.text.slice(0, next.caret)}|${next.text.slice(next.caret)}`;
}

describe("the placeholders of a request", () => {
  it("are offered from the first brace on, and narrowed by what is typed", () => {
    expect(offered("https://shop.example/{|")).toEqual(options.map(({ value }) => value));
    expect(offered("https://shop.example/{bi|/x")).toEqual(["{bike}"]);
    expect(offered("?key={{st|")).toEqual(["{{STOCK_KEY}}"]);
    expect(offered("/{{visitor.e|}}")).toEqual(["{{visitor.email}}"]);
    expect(offered("/{bike}|")).toBeNull();
    expect(offered("/bike|")).toBeNull();
  });

  it("are offered only within the strings of a JSON body", () => {
    expect(offered('{|\n  "a": 1\n}', true)).toBeNull();
    expect(offered('{ "say \\"hi\\"": {|', true)).toBeNull();
    expect(offered('{ "to": "{{visitor.i|" }', true)).toEqual(["{{visitor.id}}"]);
  });

  it("replace what was typed of them, and leave the caret where a claim needs its name", () => {
    expect(chosen("/users/{{vis|/x", "{{visitor.id}}")).toBe("/users/{{visitor.id}}|/x");
    expect(chosen("/{{visitor.em|ail}}/x", "{{visitor.id}}")).toBe("/{{visitor.id}}|/x");
    expect(chosen("/{bi|ke}}", "{bike}")).toBe("/{bike}|}");
    expect(chosen("Bearer |", "{{STOCK_KEY}}")).toBe("Bearer {{STOCK_KEY}}|");
    expect(chosen("/{{cl|", "{{visitor.claims.}}")).toBe("/{{visitor.claims.|}}");
  });

  it("are quoted in a JSON body where a value is expected", () => {
    expect(chosen('{ "to": | }', "{{visitor.id}}", true)).toBe('{ "to": "{{visitor.id}}"| }');
    expect(chosen('{ "to": "id |" }', "{{visitor.id}}", true)).toBe('{ "to": "id {{visitor.id}}|" }');
  });
});
