import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FieldType, fieldTypes } from "../rules/field-types.ts";
import { findUnsafeLink, labelParts, labelText } from "./field-label.ts";

const consent = (label: string, type: FieldType = "checkbox") => ({ name: "consent", label, type });

describe("the label of a field", () => {
  it("contains the links of a checkbox", () => {
    const field = consent("I accept the [terms](/terms) and the [privacy policy](https://shop.example/privacy?a=b).");
    expect(labelParts(field)).toEqual([
      { text: "I accept the " },
      { text: "terms", href: "/terms" },
      { text: " and the " },
      { text: "privacy policy", href: "https://shop.example/privacy?a=b" },
      { text: "." },
    ]);
    expect(labelText(field)).toBe("I accept the terms and the privacy policy.");
    expect(findUnsafeLink(field)).toBeNull();
  });

  it.each([
    "javascript:alert`1`",
    "//evil.example",
    "/\\evil.example",
    "https://shop@evil.example/",
    "data:text/html,x",
    "",
  ])("shows a link to %j as text and reports it", (address) => {
    const field = consent(`See [this](${address})`);
    expect(labelParts(field)).toEqual([{ text: "See " }, { text: "this" }]);
    expect(findUnsafeLink(field)).toBe(address);
  });

  it("is plain text for every other type", () => {
    const label = "Name [as in](https://shop.example) your passport";
    for (const type of (Object.keys(fieldTypes) as FieldType[]).filter((type) => type !== "checkbox")) {
      expect(labelParts(consent(label, type))).toEqual([{ text: label }]);
      expect(findUnsafeLink(consent(label.replace("https", "javascript"), type))).toBeNull();
    }
  });

  it("falls back to the name of the field", () => {
    expect([labelText(consent(" ")), labelText({ name: "gone", label: "", type: null })]).toEqual(["consent", "gone"]);
  });

  it("links only to web, email and telephone addresses and to paths of the site", () => {
    const piece = fc.oneof(
      fc.constantFrom("[", "]", "(", ")", "](", "javascript:", "https://a.b/", "//", "\\"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const field = consent(pieces.join(""));
        const parts = labelParts(field);
        expect(parts.map(({ text }) => text).join("")).toBe(labelText(field));
        for (const { href } of parts) {
          if (href !== undefined)
            expect(new URL(href, "https://shop.example").protocol).toMatch(/^(https?|mailto|tel):$/);
          if (href?.startsWith("/")) expect(new URL(href, "https://shop.example").host).toBe("shop.example");
        }
      }),
    );
  });

  it.each(["[", "[a](", "[a]", "](", "[]()"])("is parsed in linear time when it repeats %j", (piece) => {
    const label = piece.repeat(200_000);
    expect(labelText(consent(label)).length).toBeGreaterThan(0);
  });
});
