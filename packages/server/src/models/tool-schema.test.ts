import type { JSONSchema7 } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { toGeminiSchema, toObjectSchema } from "./tool-schema.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const text = { type: "string" };

describe("toObjectSchema", () => {
  it.each<[string, object, object]>([
    ["adds the missing properties of an object", { type: "object" }, object({})],
    [
      "adds the missing properties of nested objects",
      object({ a: { type: "object" }, b: { type: "array", items: { type: "object" } } }),
      object({ a: object({}), b: { type: "array", items: object({}) } }),
    ],
    [
      "adds the missing items of an array",
      object({ a: { type: "array" } }),
      object({ a: { type: "array", items: {} } }),
    ],
    ["leaves out the dialect", object({ a: text }, { $schema: "x", $comment: "y" }), object({ a: text })],
    [
      "leaves out alternatives at the top level, and keeps nested ones",
      object({ a: { ...text, anyOf: [{ const: "x" }] } }, { anyOf: [{ required: ["a"] }], not: { required: ["b"] } }),
      object({ a: { ...text, anyOf: [{ const: "x" }] } }, { required: [] }),
    ],
    [
      "keeps the properties of alternatives at the top level",
      object(
        { a: text },
        {
          required: ["a"],
          oneOf: [object({ b: text }, { required: ["b"] })],
          allOf: [object({ c: text }, { required: ["c"] })],
        },
      ),
      object({ a: text, b: text, c: text }, { required: ["a", "c"] }),
    ],
    [
      "turns a list of items into alternatives",
      object({ a: { type: "array", items: [text, true], additionalItems: false } }),
      object({ a: { type: "array", items: { anyOf: [text, {}] } } }),
    ],
    [
      "leaves out choices that the type does not allow",
      object({ a: { ...text, enum: ["a", 1, null] }, b: { ...text, enum: [1] } }),
      object({ a: { ...text, enum: ["a"] }, b: text }),
    ],
    [
      "keeps other keywords and what looks like a keyword but is a name",
      object(
        { enum: text, $ref: text, a: { ...text, pattern: "^a", format: "iban" } },
        { additionalProperties: false, required: [] },
      ),
      object(
        { enum: text, $ref: text, a: { ...text, pattern: "^a", format: "iban" } },
        { additionalProperties: false, required: [] },
      ),
    ],
  ])("%s", (_, schema, expected) => {
    expect(toObjectSchema(schema as JSONSchema7)).toEqual(expected);
  });
});

describe("toGeminiSchema", () => {
  it.each<[string, object, object]>([
    [
      "leaves out unknown keywords",
      { ...text, pattern: "^a", minLength: 1, format: "uri", default: "x", examples: ["y"], description: "Link" },
      { ...text, description: "Link" },
    ],
    ["keeps a known format", { ...text, format: "date-time" }, { ...text, format: "date-time" }],
    ["lists texts", { ...text, enum: ["a", "", "b"] }, { ...text, enum: ["a", "b"] }],
    ["turns a constant into a choice", { ...text, const: "a" }, { ...text, enum: ["a"] }],
    [
      "describes choices that are not texts",
      { type: "integer", enum: [1, 2] },
      { type: "integer", description: "One of: 1, 2" },
    ],
    [
      "includes exclusive bounds",
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 5 },
      { type: "integer", minimum: 1, maximum: 4 },
    ],
    ["makes null an attribute", { type: ["string", "null"] }, { ...text, nullable: true }],
    ["splits a list of types", { type: ["string", "number"] }, { anyOf: [text, { type: "number" }] }],
    [
      "keeps nothing beside alternatives",
      { oneOf: [text, { type: "boolean" }], title: "x" },
      { anyOf: [text, { type: "boolean" }] },
    ],
    ["prefers a type over its alternatives", { ...text, anyOf: [{ format: "email" }] }, text],
    [
      "joins a single alternative with its description",
      { anyOf: [text, { type: "null" }], description: "x" },
      { ...text, nullable: true, description: "x" },
    ],
    [
      "gives items a type",
      { type: "array", items: {}, minItems: 1, uniqueItems: true },
      { type: "array", items: text, minItems: 1 },
    ],
    [
      "leaves out required properties that do not exist",
      object({ a: text }, { required: ["a", "b"], additionalProperties: false }),
      object({ a: text }, { required: ["a"] }),
    ],
  ])("%s", (_, schema, expected) => {
    expect(toGeminiSchema(object({ a: schema }) as JSONSchema7)).toEqual(object({ a: expected }));
  });
});
