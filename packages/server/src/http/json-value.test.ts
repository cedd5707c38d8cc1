import { describe, expect, it } from "vitest";
import { readJson } from "./json-value.ts";

const read = (json: string, maxValues = 5_000) => readJson(Buffer.from(json), maxValues);
const tooMany = { problem: { path: "", message: "has more than 5,000 values" } };

describe("a JSON body", () => {
  it.each([
    ["names of one object", (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`)}}`, 4_999],
    ["elements of one array", (count: number) => `[${Array.from({ length: count }, () => 0)}]`, 4_999],
    ["objects in an array", (count: number) => `[${Array.from({ length: count }, () => '{"a":1}')}]`, 2_499],
    ["arrays in an array", (count: number) => `[${Array.from({ length: count }, () => "[1]")}]`, 2_499],
  ])("is refused from the first value over the limit: %s", (_, create, allowed) => {
    expect(read(create(allowed))).toHaveProperty("value");
    expect(read(create(allowed + 1))).toEqual(tooMany);
  });

  it("may contain any number of commas, colons, brackets and quotes in its texts", () => {
    const text = '[,:{"\\'.repeat(10_000);
    expect(read(JSON.stringify({ text }))).toEqual({ value: { text } });
  });

  it("is refused without being parsed when it has too many values, even if it is invalid further on", () => {
    expect(read(`[${"0,".repeat(6_000)}`)).toEqual(tooMany);
  });

  it.each(['{"__proto__":{"a":1}}', '{"a":{"constructor":{"prototype":1}}}'])(
    "names what is reserved in %s",
    (json) => {
      const message = "must not contain the names __proto__ and constructor.prototype";
      expect(read(json)).toEqual({ problem: { path: "", message } });
    },
  );

  it("is refused when it is nested too deeply", () => {
    expect(read(`${"[".repeat(64)}${"]".repeat(64)}`)).toHaveProperty("value");
    expect(read("[".repeat(400_000))).toEqual({ problem: { path: "", message: "is nested deeper than 64 levels" } });
  });

  it.each(['{"a":', "[1,2", '"open', '"\\', "}", "]]", ""])("that is cut or malformed is invalid: %j", (json) => {
    expect(read(json)).toEqual({ problem: { path: "", message: "is not valid JSON" } });
  });
});
