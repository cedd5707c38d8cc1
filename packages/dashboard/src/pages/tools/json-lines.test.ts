import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "./json-lines.ts";

describe("JSON with line numbers", () => {
  it("accepts what JSON.parse accepts", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJson(text)).toMatchObject({ value: JSON.parse(text) });
      }),
    );
  });

  it("rejects what JSON.parse rejects", () => {
    const pieces = fc.constantFrom(...'{}[]:,"a1-.e\\ \n'.split(""), "true", "null", '"a"', "\t");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const read = readJson(text);
        try {
          expect(read).toMatchObject({ value: JSON.parse(text) });
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
          expect(read).toMatchObject({ line: expect.any(Number), message: expect.any(String) });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("finds the line of a path", () => {
    const read = readJson('{\n  "properties": {\n    "size": {\n      "type": "text"\n    }\n  }\n}');
    if (!("lineOf" in read)) throw new Error(read.message);
    expect(read.lineOf("properties.size.type")).toBe(4);
    expect(read.lineOf("properties.size.minimum")).toBe(3);
    expect(read.lineOf("required")).toBe(1);
    expect(read.lineOf("")).toBe(1);
  });

  it.each([
    ['{\n  "a": 1,\n}', 2, "Remove this comma: nothing follows it."],
    ['{\n  "a" 1\n}', 2, "Expected a : between the name and its value."],
    ["[1\n2]", 2, "Expected a , or a closing bracket before this."],
    ["{a: 1}", 1, "Expected a value or a name. Strings and names need double quotes."],
    ['["a]', 1, "Expected a closing double quote."],
    ["[\n'a']", 2, "Expected a value or a name. Strings and names need double quotes."],
    ["[1\n", 2, "Expected a closing ]."],
    ["", 1, "Expected a value."],
    ["1\n\n2", 3, "Unexpected text after the end of the value."],
  ])("explains the error in %j", (text, line, message) => {
    expect(readJson(text)).toEqual({ line, message });
  });

  it("rejects JSON that is nested too deeply", () => {
    expect(readJson("[".repeat(100_000))).toEqual({ line: 1, message: "This is nested too deeply." });
  });
});
