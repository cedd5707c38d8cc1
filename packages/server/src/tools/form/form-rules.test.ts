import type { FormField, FormSchema } from "@foyer/contract";
import { fieldTypes } from "@foyer/contract/rules/field-types";
import { describe, expect, it } from "vitest";
import { AppError } from "../../errors.ts";
import { checkFormSchema } from "./form-rules.ts";

function readDetail(schema: FormSchema) {
  try {
    checkFormSchema(schema);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).status).toBe(400);
    return (error as AppError).details?.[0];
  }
  return undefined;
}

/** The problem of one field, without the part of the path that is always the same. */
function readProblem(field: Partial<FormField>) {
  const detail = readDetail({ fields: [{ name: "f", label: "F", type: "text", ...field }] });
  return detail && { ...detail, path: detail.path.replace("formSchema.fields.0.", "") };
}

const types = Object.keys(fieldTypes) as FormField["type"][];
const options = [
  { label: "Red", value: "red" },
  { label: "Blue", value: "blue" },
];
const optionsFor = (type: FormField["type"]) => (type.endsWith("select") ? { options } : {});

describe("field names", () => {
  it("must be unique", () => {
    const field = (name: string): FormField => ({ name, label: "", type: "text" });
    expect(readDetail({ fields: ["a", "A", "b"].map(field) })).toBeUndefined();
    expect(readDetail({ fields: ["a", "b", "a"].map(field) })).toMatchObject({
      path: "formSchema.fields.2.name",
      message: "must be unique among the fields",
    });
  });

  it.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])("cannot be %s", (name) => {
    expect(readProblem({ name })).toMatchObject({ path: "name", message: "is reserved" });
  });

  it("may contain spaces and any script", () => {
    expect(readProblem({ name: "Prénom 名" })).toBeUndefined();
  });
});

describe("field labels", () => {
  it("cannot link to unsafe addresses in a checkbox", () => {
    const label = (address: string) => readProblem({ type: "checkbox", label: `I accept the [terms](${address})` });
    for (const address of ["https://shop.example/terms", "/terms", "mailto:legal@shop.example"]) {
      expect(label(address)).toBeUndefined();
    }
    expect(label("javascript:alert`1`")).toMatchObject({ path: "label", message: expect.stringContaining("https") });
  });
});

describe("field options", () => {
  it.each(types)("are required for selects and allowed nowhere else: %s", (type) => {
    const isSelect = type === "select" || type === "multiselect";
    expect(readProblem({ type })?.path).toBe(isSelect ? "options" : undefined);
    expect(readProblem({ type, options })?.path).toBe(isSelect ? undefined : "options");
  });

  it("need unique values, but may share a label", () => {
    const same = { label: "Red", value: "red" };
    expect(readProblem({ type: "select", options: [same, { ...same, value: "crimson" }] })).toBeUndefined();
    expect(readProblem({ type: "select", options: [...options, same] })?.path).toBe("options.2.value");
  });
});

describe("validation rules", () => {
  const rules = {
    required: { rule: { value: true }, types },
    minLength: { rule: { value: 1 }, types: ["text", "email", "tel", "textarea"] },
    maxLength: { rule: { value: 1 }, types: ["text", "email", "tel", "textarea"] },
    pattern: { rule: { value: "a" }, types: ["text", "email", "tel", "textarea"] },
  };
  for (const [name, { rule, types: allowed }] of Object.entries(rules)) {
    it.each(types)(`apply ${name} on %s`, (type) => {
      const path = readProblem({ type, ...optionsFor(type), validation: { [name]: rule } })?.path;
      expect(path).toBe(allowed.includes(type) ? undefined : `validation.${name}`);
    });
  }

  const values = { number: 5, date: "2026-01-31", datetime: "2026-01-31T09:30" };
  for (const rule of ["min", "max"]) {
    it.each(types)(`accept only values of the right type for ${rule} on %s`, (type) => {
      for (const [kind, value] of Object.entries(values)) {
        const path = readProblem({ type, ...optionsFor(type), validation: { [rule]: { value } } })?.path;
        const expected = Object.hasOwn(values, type) ? `validation.${rule}.value` : `validation.${rule}`;
        expect(path).toBe(kind === type ? undefined : expected);
      }
    });
  }

  it.each<[FormField["type"], number | string]>([
    ["number", Number.NaN],
    ["number", Number.POSITIVE_INFINITY],
    ["number", "5"],
    ["number", ""],
    ["date", 20260131],
    ["date", ""],
    ["date", "2026-1-31"],
    ["date", "31.01.2026"],
    ["date", "2026-02-30"],
    ["date", "2026-13-01"],
    ["date", "2025-02-29"],
    ["date", "2026-01-31 "],
    ["datetime", "2026-01-31"],
    ["datetime", "2026-01-31 09:30"],
    ["datetime", "2026-02-30T09:30"],
    ["datetime", "2026-01-31T25:00"],
    ["datetime", "2026-01-31T09:60"],
    ["datetime", "2026-01-31T09:30+99:00"],
    ["datetime", 1769851800000],
  ])("give a %s no bound of %j", (type, value) => {
    expect(readProblem({ type, validation: { min: { value } } })?.path).toBe("validation.min.value");
    expect(readProblem({ type, validation: { max: { value } } })?.path).toBe("validation.max.value");
  });

  it.each<[FormField["type"], number | string, number | string, boolean]>([
    ["number", -1, 1.5, true],
    ["number", 2, 2, true],
    ["number", 3, 2, false],
    ["date", "2024-02-29", "2024-03-01", true],
    ["date", "2026-03-01", "2026-02-28", false],
    ["datetime", "2026-01-31T09:30", "2026-01-31T09:30:00.001", true],
    ["datetime", "2026-01-31T09:30Z", "2026-01-31T10:00+01:00", false],
    ["datetime", "2026-01-31T09:30Z", "2026-01-31T11:00+01:00", true],
    ["datetime", "2026-01-31T09:31", "2026-01-31T09:30", false],
  ])("compare bounds of %s from %s to %s: %s", (type, min, max, isInOrder) => {
    const path = readProblem({ type, validation: { min: { value: min }, max: { value: max } } })?.path;
    expect(path).toBe(isInOrder ? undefined : "validation.min.value");
  });

  it("require minLength to be at most maxLength", () => {
    const lengths = (min: number, max: number) => ({ minLength: { value: min }, maxLength: { value: max } });
    expect(readProblem({ validation: lengths(3, 3) })).toBeUndefined();
    expect(readProblem({ validation: lengths(4, 3) })?.path).toBe("validation.minLength.value");
    expect(readProblem({ validation: { minLength: { value: 4 } } })).toBeUndefined();
  });

  it("accept patterns that browsers can run, and no others", () => {
    expect(readProblem({ validation: { pattern: { value: "(?i)^(?=a)(\\w)\\1$" } } })).toBeUndefined();
    expect(readProblem({ validation: { pattern: { value: "a++" } } })).toMatchObject({
      path: "validation.pattern.value",
      message: expect.stringContaining("is not a regular expression"),
    });
  });

  it("need a default for a read-only field that is required", () => {
    const validation = { required: { value: true } };
    expect(readProblem({ disabled: true, validation })).toMatchObject({ path: "defaultValue" });
    expect(readProblem({ disabled: true, validation, defaultValue: "a" })).toBeUndefined();
    expect(readProblem({ disabled: true })).toBeUndefined();
  });
});

describe("field defaults", () => {
  it.each([
    "",
    "plain { text } }}",
    "{{user.email}}",
    "{{ user.name }} ({{user.userId}})",
    "{{user.metadata.plan}}",
    "{{user.metadata.company.name}}",
    "{{context.previousResult.order id}}",
    "{{context.bike}}",
    "{{context.next.a}}",
    "{{context.productId}}",
    "{{context.cart.total}}",
  ])("can be %j", (defaultValue) => {
    expect(readProblem({ defaultValue })).toBeUndefined();
  });

  it.each([
    "{{email}}",
    "{{user}}",
    "{{user.emails}}",
    "{{user.metadata}}",
    "{{user.metadata.}}",
    "{{user.metadata..a}}",
    "{{context.previousResult}}",
    "{{user.email}} {{API_KEY}}",
    "{{__proto__}}",
    "{{USER.EMAIL}}",
  ])("cannot be %j", (defaultValue) => {
    const problem = readProblem({ defaultValue });
    expect(problem?.path).toBe("defaultValue");
    for (const known of [
      "{{user.email}}",
      "{{user.metadata.<field>}}",
      "{{context.<field>}}",
      "{{context.previousResult.<field>}}",
    ]) {
      expect(problem?.message).toContain(known);
    }
  });

  it.each(types)("are allowed for all types except files: %s", (type) => {
    const isFile = type === "file" || type === "image";
    const path = readProblem({ type, ...optionsFor(type), defaultValue: "{{user.name}}" })?.path;
    expect(path).toBe(isFile ? "defaultValue" : undefined);
  });

  it("can tick an optional checkbox, but never a required one", () => {
    const consent = { type: "checkbox", validation: { required: { value: true } } } as const;
    for (const defaultValue of ["true", "false", "{{user.metadata.newsletter}}"]) {
      expect(readProblem({ type: "checkbox", defaultValue })).toBeUndefined();
    }
    expect(readProblem({ type: "checkbox", defaultValue: "yes" })?.path).toBe("defaultValue");
    expect(readProblem({ ...consent, defaultValue: "false" })).toBeUndefined();
    expect(readProblem({ ...consent, defaultValue: "true" })?.path).toBe("defaultValue");
  });

  it.each<[FormField["type"], string, boolean]>([
    ["select", "red", true],
    ["select", "", true],
    ["select", "{{user.metadata.color}}", true],
    ["select", "Red", false],
    ["select", "red,blue", false],
    ["multiselect", "red", true],
    ["multiselect", "red, blue", true],
    ["multiselect", "red,green", false],
    ["multiselect", "red,", false],
  ])("of a %s must be among its options: %j %s", (type, defaultValue, isFine) => {
    expect(readProblem({ type, options, defaultValue })?.path).toBe(isFine ? undefined : "defaultValue");
  });
});

it("checkFormSchema accepts a form of the maximum size and names the last field in an error", () => {
  const fields = Array.from(
    { length: 100 },
    (_, index): FormField => ({
      name: `f${index}`,
      label: "",
      type: "select",
      options: Array.from({ length: 500 }, (_value, value) => ({ label: "", value: `${value}` })),
    }),
  );
  expect(readDetail({ fields })).toBeUndefined();
  const last = { name: "f0", label: "", type: "text" } as const;
  expect(readDetail({ fields: [...fields.slice(1), { ...last, name: "f99" }] })?.path).toBe(
    "formSchema.fields.99.name",
  );
});
