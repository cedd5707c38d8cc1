import type { FormField } from "@foyer/contract";
import { type FieldType, fieldTypes, holdsFile } from "@foyer/contract/rules/field-types";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { validateForm } from "@foyer/contract/rules/validate-form";
import fc from "fast-check";
import { expect, it } from "vitest";
import { accepts, toFormData } from "../form-values/field-values.ts";
import { type DefaultFacts, defaultValues } from "./default-values.ts";

const options = [
  { label: "One", value: "1" },
  { label: "Two, and more", value: "2,3" },
  { label: "Four", value: "4" },
];
const nobody: DefaultFacts = { identity: null, context: {}, previousResult: null };
const filled = (type: FormField["type"], defaultValue: string, facts: Partial<DefaultFacts> = {}) => {
  const field: FormField = { name: "f", label: "F", type, defaultValue };
  const choices = type === "select" || type === "multiselect" ? { options } : {};
  return defaultValues([{ ...field, ...choices }], { ...nobody, ...facts }).f;
};

it("a form fills defaults from the visitor's identity, the site's context and the previous tool result", () => {
  const identity = {
    userId: "7",
    userEmail: "ada@shop.example",
    userName: "Ada",
    metadata: { plan: { name: "Pro" }, age: 36 },
  };
  const facts = { identity, previousResult: { bike: "tour", left: 2, list: [1] } };
  expect(filled("text", "{{user.name}} <{{ user.email }}> {{user.userId}}", facts)).toBe("Ada <ada@shop.example> 7");
  expect(filled("text", "{{user.metadata.plan.name}}/{{user.metadata.age}}", facts)).toBe("Pro/36");
  expect(filled("text", "{{context.previousResult.bike}}-{{context.previousResult.left}}", facts)).toBe("tour-2");
  expect(
    filled("text", "{{context.previousResult.bike}}", { ...facts, context: { previousResult: { bike: "city" } } }),
  ).toBe("city");
});

it("a form leaves a field empty when its placeholder has no value or a value that is not text", () => {
  const facts = { identity: { userId: "7", metadata: { list: [1], deep: {} } }, previousResult: "text" };
  const names = [
    "user.email",
    "user.metadata.list",
    "user.metadata.deep",
    "user.metadata.deep.x",
    "context.previousResult.x",
  ];
  for (const name of [...names, "user.constructor.name", "user.metadata.__proto__.x", "toString"]) {
    expect([name, filled("text", `[{{${name}}}]`, facts)]).toEqual([name, "[]"]);
  }
});

it("a form leaves out a default that its field cannot hold", () => {
  expect(["1", "Two", ""].map((text) => filled("select", text))).toEqual(["1", "", ""]);
  expect(["2,3", "4, 1, 4", "9", ""].map((text) => filled("multiselect", text))).toEqual([["2,3"], ["4", "1"], [], []]);
  expect(["1.50", " 7 ", "1e3", "x", " "].map((text) => filled("number", text))).toEqual(["1.5", "7", "1000", "", ""]);
  expect(["2026-01-31", "2026-02-31", "soon"].map((text) => filled("date", text))).toEqual(["2026-01-31", "", ""]);
  expect(filled("text", "a\r\nb")).toBe("a b");
  expect(filled("textarea", "a\nb")).toBe("a\nb");
  expect(filled("email", " ada@shop.example ")).toBe("ada@shop.example");
});

it("a form ticks a box by default unless it is required, because visitors must give consent themselves", () => {
  expect(["true", " true ", "false", "1", ""].map((text) => filled("checkbox", text))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  const consent: FormField = {
    name: "f",
    label: "F",
    type: "checkbox",
    defaultValue: "true",
    validation: { required: { value: true } },
  };
  expect(defaultValues([consent], nobody)).toEqual({ f: false });
});

it("a form shows a default date and time in the visitor's time zone", () => {
  // The time zone of the tests is UTC+5:30.
  expect(filled("datetime", "2026-01-31T09:30Z")).toBe("2026-01-31T15:00");
  expect(filled("datetime", "2026-01-31T09:30:15+05:30")).toBe("2026-01-31T09:30");
  expect(filled("datetime", "2026-01-31T09:30:15")).toBe("2026-01-31T09:30");
  expect(filled("datetime", "2026-01-31")).toBe("");
});

it("a form never gives a field a value that it cannot hold, for any default", () => {
  const types = (Object.keys(fieldTypes) as FieldType[]).filter((type) => !holdsFile({ type }));
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom("true", "false", "1", "2,3", "1,4", "2026-01-31", "2026-01-31T09:30", "1e999", "0x1", "-0"),
  );
  fc.assert(
    fc.property(fc.constantFrom(...types), texts, (type, defaultValue) => {
      const field: FormField = { name: "f", label: "F", type, defaultValue, options };
      const values = defaultValues([field], nobody);
      expect(accepts(field, values.f)).toBe(true);
      // Text is used unchanged. Other values are filled in only if the rules accept them.
      const isText = ["text", "email", "tel", "textarea"].includes(type);
      const compilePattern = (pattern: string) => new RegExp(pattern);
      if (!isText) expect(validateForm([field], toFormData([field], values, {}), { compilePattern })).toEqual([]);
      else if (type === "textarea") expect(values.f).toBe(fillTemplate(defaultValue, () => undefined));
    }),
  );
});
