import { describe, expect, it } from "vitest";
import { adaptToolInput, parseToolInput } from "./tool-input.ts";

describe("the arguments of a call", () => {
  it.each([
    ["", {}],
    ["  ", {}],
    ["null", {}],
    ['""', {}],
    ['"{}"', {}],
    ['{"a":1}', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['{"a":1}{"a":1}', { a: 1 }],
  ])("%j are read as %j", (text, input) => {
    expect(parseToolInput(text)).toEqual(input);
  });

  it.each(['{"a":', "{oops}", '{"a":1}{"a":2}', '"text"'])("%j cannot be read", (text) => {
    expect(parseToolInput(text)).toBeUndefined();
  });
});

it("arguments with a megabyte of white space are read quickly", () => {
  expect(parseToolInput(`\`\`\`json${" ".repeat(1024 * 1024)}x`)).toBeUndefined();
});

describe("an input", () => {
  const inputSchema = {
    type: "object" as const,
    properties: {
      size: { type: "integer" as const },
      color: { type: ["string" as const, "null" as const] },
      isNew: { type: "boolean" as const },
      note: { anyOf: [{ type: "string" as const }, { type: "null" as const }] },
      name: { type: "string" as const },
      tags: { type: "array" as const, items: { type: "string" as const } },
      place: { type: "object" as const, properties: { floor: { type: "number" as const } } },
    },
    required: ["name"],
  };
  const adapt = (input: unknown) => adaptToolInput(input, { type: "function", name: "find", inputSchema });

  it.each<[unknown, unknown]>([
    [{ size: null }, {}],
    [{ color: null }, { color: null }],
    [{ name: null }, { name: null }],
    [{ other: null }, {}],
    [
      { size: "5", isNew: "true", name: 7 },
      { size: 5, isNew: true, name: "7" },
    ],
    [{ tags: '["a","b"]' }, { tags: ["a", "b"] }],
    [{ place: '{"floor":"2"}' }, { place: { floor: 2 } }],
    [{ size: "five" }, { size: "five" }],
    [{ color: 7 }, { color: "7" }],
    [{ note: 7 }, { note: "7" }],
    [{ note: null }, { note: null }],
    [[], {}],
    ['{"size":5}', { size: 5 }],
  ])("%j is adapted to %j", (input, adapted) => {
    expect(adapt(input)).toEqual(adapted);
  });

  it("that fits its schema stays the same", () => {
    const input = { size: 5, color: "red", isNew: true, name: "7", tags: ["1"], place: { floor: 2 } };
    expect(adapt(input)).toEqual(input);
  });
});

describe("the digits of a call", () => {
  const inputSchema = {
    type: "object" as const,
    properties: { text: { type: "string" as const }, count: { type: "integer" as const } },
  };
  it.each([
    ['{"text":1234567890123456789}', '{"text":"1234567890123456789"}'],
    ['{"text":10.50}', '{"text":"10.50"}'],
    ['{"count":1234567890123456789}', '{"count":1234567890123456789}'],
    ['{"count":"1234567890123456789"}', '{"count":1234567890123456789}'],
    ['{"count":"007"}', '{"count":"007"}'],
    ['{"other":{"10":1.0,"2":1}}', '{"other":{"10":1.0,"2":1}}'],
  ])("stay those that the model wrote: %s", (text, expected) => {
    const input = adaptToolInput(parseToolInput(text), { type: "function", name: "find", inputSchema });
    expect(JSON.stringify(input)).toBe(expected);
  });
});
