import type { FieldValidation, FormField, FormSchema } from "@foyer/contract";
import { measureAnswer } from "@foyer/contract/rules/answer-measure";
import { findUnsafeLink } from "@foyer/contract/rules/field-label";
import {
  type AnswerKind,
  describeField,
  type FieldRule,
  type FieldType,
  fieldTypes,
  holdsFile,
} from "@foyer/contract/rules/field-types";
import { findPlaceholders } from "@foyer/contract/rules/fill-template";
import { checkAll, invalid } from "../../errors.ts";
import { checkFormPattern } from "./form-pattern.ts";

const knownDefaults = [
  "{{user.email}}",
  "{{user.name}}",
  "{{user.userId}}",
  "{{user.metadata.<field>}}",
  "{{context.<field>}}",
  "{{context.previousResult.<field>}}",
].join(", ");
const knownDefault =
  /^(?!context\.previousResult$)(?:user\.(?:email|name|userId)|(?:user\.metadata|context)\.[^.]+(?:\.[^.]+)*)$/;

/**
 * Checks what JSON Schema cannot express: unique names, options and rules that apply to the field's type, bounds in
 * order, patterns that browsers can run, and defaults that the field can hold.
 * @throws AppError 400 with the path of every problem (formSchema.fields.2.name)
 */
export function checkFormSchema(schema: FormSchema): void {
  const names = new Set<string>();
  const checks = schema.fields.flatMap((field, index) => {
    const path = `formSchema.fields.${index}`;
    return [
      () => checkName(path, field.name, names),
      () => checkLabel(`${path}.label`, field),
      () => checkOptions(path, field),
      () => checkRules(`${path}.validation`, field.type, field.validation ?? {}),
      () => checkDefault(`${path}.defaultValue`, field),
      () => checkReadOnly(path, field),
    ];
  });
  checkAll(checks);
}

function checkName(path: string, name: string, names: Set<string>) {
  // Every object inherits properties with these names, so a lookup by name would always find one.
  if (name in Object.prototype || name === "prototype") throw invalid(`${path}.name`, "is reserved", "not_allowed");
  if (names.has(name)) throw invalid(`${path}.name`, "must be unique among the fields", "duplicate");
  names.add(name);
}

function checkLabel(path: string, field: FormField) {
  const address = findUnsafeLink(field);
  if (address === null) return;
  throw invalid(
    path,
    `links to “${address}”, which must be an https, http, mailto or tel address, or a path such as /privacy`,
    "format",
  );
}

function checkOptions(path: string, { type, options }: FormField) {
  if (!describeField({ type }).hasOptions) {
    const withOptions = filterTypes(({ type }) => describeField({ type }).hasOptions === true).join(" and ");
    if (options) throw invalid(`${path}.options`, `are for ${withOptions} only, not for ${type}`, "not_allowed");
    return;
  }
  if (!options) throw invalid(`${path}.options`, `are required for a ${type} field`, "required");
  const values = new Set<string>();
  for (const [index, { value }] of options.entries()) {
    if (values.has(value))
      throw invalid(`${path}.options.${index}.value`, "must be unique among the options", "duplicate");
    values.add(value);
  }
}

function checkRules(path: string, type: FieldType, rules: FieldValidation) {
  const { minLength, maxLength, min, max, pattern } = rules;
  for (const rule of ruleNames) {
    const types = filterTypes((field) => describeField(field).rules.includes(rule));
    if (Object.hasOwn(rules, rule) && !types.includes(type)) {
      throw invalid(`${path}.${rule}`, `does not apply to ${type}, only to ${types.join(", ")}`, "not_allowed");
    }
  }
  if (minLength && maxLength && minLength.value > maxLength.value) {
    throw invalid(`${path}.minLength.value`, "must not be greater than maxLength", "max");
  }
  const lowest = min ? parseBound(`${path}.min.value`, type, min.value) : -Infinity;
  const highest = max ? parseBound(`${path}.max.value`, type, max.value) : Infinity;
  if (lowest > highest) throw invalid(`${path}.min.value`, "must not be greater than max", "max");
  if (pattern) checkPattern(`${path}.pattern.value`, pattern.value);
}

const ruleNames = ["minLength", "maxLength", "min", "max", "pattern"] as const satisfies FieldRule[];

function filterTypes(matches: (field: { type: FieldType }) => boolean): FieldType[] {
  return (Object.keys(fieldTypes) as FieldType[]).filter((type) => matches({ type }));
}

/** @returns the bound as a comparable number: the number itself, or milliseconds since 1970 */
function parseBound(path: string, type: FieldType, value: number | string): number {
  const { answer, expects } = fieldTypes[type];
  // A numeric bound must be a JSON number, although an answer may be text.
  const measure = answer === "number" && typeof value === "string" ? null : measureAnswer(type, value);
  if (measure !== null) return measure;
  throw invalid(path, `must be ${expects}`, answer === "number" ? "type" : "format");
}

function checkPattern(path: string, pattern: string) {
  try {
    checkFormPattern(pattern);
  } catch (error) {
    throw invalid(path, error instanceof Error ? error.message : "cannot be used", "pattern");
  }
}

function checkDefault(path: string, field: FormField) {
  const { type, defaultValue } = field;
  if (defaultValue === undefined) return;
  if (holdsFile(field))
    throw invalid(path, `cannot be used in a ${type} field, because only the visitor can choose a file`, "not_allowed");
  const placeholders = findPlaceholders(defaultValue);
  const unknown = placeholders.find((name) => !knownDefault.test(name));
  if (unknown !== undefined)
    throw invalid(
      path,
      `contains the unknown placeholder {{${unknown}}}; known placeholders are ${knownDefaults}`,
      "unknown_reference",
    );
  if (placeholders.length === 0 && defaultValue !== "") defaultChecks[describeField(field).answer](path, field);
}

const anyDefault = () => {};

/**
 * The checks of literal default values. Invalid numbers and dates are accepted for compatibility and leave the field
 * empty.
 */
const defaultChecks: Record<AnswerKind, (path: string, field: FormField) => void> = {
  text: anyDefault,
  number: anyDefault,
  date: anyDefault,
  datetime: anyDefault,
  choice: (path, field) => checkDefaultOptions(path, field, [field.defaultValue ?? ""]),
  choices(path, field) {
    const { defaultValue = "", options = [] } = field;
    // The value of a single option may contain a comma.
    const isOne = options.some(({ value }) => value === defaultValue);
    checkDefaultOptions(path, field, isOne ? [defaultValue] : defaultValue.split(",").map((part) => part.trim()));
  },
  boolean(path, { validation, defaultValue }) {
    if (defaultValue !== "true" && defaultValue !== "false") throw invalid(path, "must be true or false", "enum");
    if (defaultValue === "true" && validation?.required?.value) {
      throw invalid(path, "must not be true for a required checkbox: the visitor has to tick it", "not_allowed");
    }
  },
  file: anyDefault,
};

function checkReadOnly(path: string, { disabled, defaultValue, validation }: FormField) {
  if (!disabled || !validation?.required?.value || defaultValue) return;
  throw invalid(`${path}.defaultValue`, "is required for a read-only field that is required", "required");
}

function checkDefaultOptions(path: string, { options = [] }: FormField, chosen: string[]) {
  const values = new Set(options.map(({ value }) => value));
  if (!chosen.every((value) => values.has(value))) throw invalid(path, "must be one of the options' values", "enum");
}
