import { describe, expect, it } from "vitest";
import { parseExactJson, toJsNumbers, toSafeNumbers } from "./exact-json.ts";

describe("JSON that is read exactly", () => {
  it.each([
    "1234567890123456789",
    "10.50",
    "-0",
    "1E400",
    "1.0e5",
    '{"b":1,"10":2,"2":3,"a":{"1":0.10,"0":[]}}',
    '{"__proto__":1,"constructor":"x"}',
    '[" [1, {\\"a\\": 2}] ","\\\\",""]',
    "[[],{},null,true,false]",
  ])("is written as it was: %s", (json) => {
    expect(JSON.stringify(parseExactJson(json))).toBe(json);
  });

  it("reads ordinary numbers as JavaScript's", () => {
    expect(parseExactJson('{"a":[1,-2.5,0,1e-7]}')).toEqual({ a: [1, -2.5, 0, 1e-7] });
  });

  it("keeps the last of repeated names", () => {
    expect(parseExactJson('{"a":1,"a":2,"1":3,"1":4}')).toEqual({ a: 2, 1: 4 });
  });

  it.each(["", "[1,]", "01", '{"a" 1}', "[1 2]", '"\t"', "nul"])("is refused when it is not JSON: %j", (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it("is refused when it is nested deeper than 100 levels", () => {
    expect(parseExactJson("[".repeat(100) + "]".repeat(100))).toHaveLength(1);
    expect(() => parseExactJson("[".repeat(102) + "]".repeat(102))).toThrow(RangeError);
  });

  it("reads a text of a megabyte", () => {
    const text = "\\".repeat(500_000);
    expect(parseExactJson(JSON.stringify([text]))).toEqual([text]);
  });

  it.each([
    ["1234567890123456789", "1234567890123456789"],
    ["12345678901234567000", 12345678901234567000],
    ["10.50", 10.5],
    ["1.0E2", 100],
    ["-0.0", -0],
    ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
    ["1E400", "1E400"],
    ["1e-400", "1e-400"],
    ["100e-2", 1],
    ["0.00", 0],
  ])("gives pages %s as %j, which they read with the same value", (json, expected) => {
    expect(toSafeNumbers(parseExactJson(`[${json}]`))).toEqual([expected]);
  });

  it.each([
    ["zeros that a digit follows", `1${"0".repeat(1_000_000)}1`],
    ["zeros that a digit follows after the point", `0.${"0".repeat(1_000_000)}1`],
    ["zeros at the end", `1${"0".repeat(1_000_000)}`],
  ])("gives pages a number with a million %s as text", (_, json) => {
    expect(toSafeNumbers(parseExactJson(json)) === json).toBe(true);
  });

  it("gives programs that check values the nearest numbers", () => {
    expect(toJsNumbers(parseExactJson('{"a":1234567890123456789,"b":[10.50]}'))).toEqual({
      a: Number("1234567890123456789"),
      b: [10.5],
    });
  });
});
