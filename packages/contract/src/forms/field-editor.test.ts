import fc from "fast-check";
import { expect, it } from "vitest";
import { describeField, type FieldType, fieldTypes } from "../rules/field-types.ts";
import { fieldEditors, sampleAnswers } from "./field-editor.ts";
import type { FormField } from "./form.ts";
import { validateForm } from "./validate-form.ts";

const types = Object.keys(fieldTypes) as FieldType[];
const compile = (pattern: string) => new RegExp(pattern);

it("fieldEditors offers every field type once", () => {
  expect(Object.keys(fieldEditors).sort()).toEqual(types.toSorted());
});

it("sampleAnswers returns answers that satisfy the rules of their field", () => {
  const length = fc.nat({ max: 30 });
  const lengths = fc.tuple(length, length).map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1] as const);
  fc.assert(
    fc.property(fc.constantFrom(...types), lengths, fc.integer(), fc.nat(), (type, [shortest, longest], min, more) => {
      const { answer, format, hasOptions } = describeField({ type });
      const field: FormField = {
        name: "f",
        label: "Field",
        type,
        validation: {
          required: { value: true },
          ...(answer === "text" && !format ? { minLength: { value: shortest }, maxLength: { value: longest } } : {}),
          ...(answer === "number" ? { min: { value: min }, max: { value: min + more } } : {}),
        },
        ...(hasOptions ? { options: [{ label: "One", value: "1" }] } : {}),
      };
      expect(validateForm([field], sampleAnswers([field]), { compilePattern: compile })).toEqual([]);
    }),
  );
});
