import type { FormField } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { keepReadOnly } from "./read-only-answers.ts";

const verified = { id: "u1", email: "ada@example.com", name: null, claims: { plan: { level: 3 }, vip: true } };
const field = (more: Partial<FormField>): FormField => ({
  name: "a",
  label: "A",
  type: "text",
  disabled: true,
  ...more,
});
const options = ["x", "y", "x, y"].map((value) => ({ label: value, value }));

describe("a read-only field", () => {
  it.each<[string, Partial<FormField>, unknown]>([
    ["text", { defaultValue: "690" }, "690"],
    ["line breaks", { defaultValue: "a\nb" }, "a b"],
    ["a number", { type: "number", defaultValue: "690" }, 690],
    ["a date", { type: "date", defaultValue: "2026-01-31" }, "2026-01-31"],
    ["an option", { type: "select", options, defaultValue: "y" }, "y"],
    ["several options", { type: "multiselect", options, defaultValue: "y, x" }, ["y", "x"]],
    ["a ticked box", { type: "checkbox", defaultValue: "true" }, true],
    ["a box that is not ticked", { type: "checkbox", defaultValue: "false" }, false],
    ["text outside its own pattern", { defaultValue: "b", validation: { pattern: { value: "^a$" } } }, "b"],
    ["nothing", {}, null],
  ])("keeps its static default, whatever was sent: %s", (_, more, expected) => {
    for (const sent of [{ a: "1" }, { a: 5 }, { a: null }, {}]) {
      const kept = keepReadOnly([field(more)], sent, null);
      expect(kept, JSON.stringify(sent)).toEqual({ formData: { a: expected }, changeable: [] });
    }
  });

  it.each([
    ["{{user.email}}", "ada@example.com"],
    ["{{ user.userId }} at {{user.email}}", "u1 at ada@example.com"],
    ["{{user.metadata.plan.level}}", "3"],
    ["{{user.metadata.vip}}", "true"],
  ])("gets what the visitor proved: %s", (defaultValue, expected) => {
    const kept = keepReadOnly([field({ defaultValue })], { a: "mallory@example.com" }, verified);
    expect(kept).toEqual({ formData: { a: expected }, changeable: [] });
  });

  it.each([
    ["{{user.email}}", null],
    ["{{user.name}}", verified],
    ["{{user.metadata.other}}", verified],
    ["{{user.metadata.constructor}}", verified],
    ["{{user.email}} {{context.bike}}", verified],
    ["{{context.previousResult.price}}", verified],
  ])("keeps what was sent and is marked when the server cannot know it: %s", (defaultValue, visitor) => {
    const kept = keepReadOnly([field({ defaultValue })], { a: "sent" }, visitor);
    expect(kept).toEqual({ formData: { a: "sent" }, changeable: ["a"] });
  });

  it("is not marked when nothing was sent for it", () => {
    expect(keepReadOnly([field({ defaultValue: "{{user.email}}" })], {}, null).changeable).toEqual([]);
  });

  it.each<Partial<FormField>>([
    { type: "number", defaultValue: "cheap" },
    { type: "email", defaultValue: "nobody" },
    { type: "number", defaultValue: "1", validation: { min: { value: 5 } } },
  ])("is left to the visitor and marked when it cannot hold its default, as in the widget: %j", (more) => {
    expect(keepReadOnly([field(more)], { a: 7 }, null)).toEqual({ formData: { a: 7 }, changeable: ["a"] });
  });

  it("leaves other fields alone", () => {
    const fields = [field({ disabled: false, defaultValue: "b" }), field({ name: "f", type: "file" })];
    expect(keepReadOnly(fields, { a: "c", f: "" }, null)).toEqual({ formData: { a: "c", f: "" }, changeable: [] });
  });
});
