import type { FieldValidation, FormField, FormSchema } from "@foyer/contract";
import { placeholdersOf } from "@foyer/contract/rules/fill-template";
import { timeOf } from "@foyer/contract/rules/form-dates";
import { invalid } from "../../errors.ts";
import { compilePattern } from "../schema/tool-pattern.ts";

type FieldType = FormField["type"];

const textTypes = new Set<FieldType>(["text", "email", "tel", "textarea"]);
const boundTypes = new Set<FieldType>(["number", "date", "datetime"]);
const optionTypes = new Set<FieldType>(["select", "multiselect"]);
const fileTypes = new Set<FieldType>(["file", "image"]);

const knownDefaults = [
  "{{user.email}}",
  "{{user.name}}",
  "{{user.userId}}",
  "{{user.metadata.<field>}}",
  "{{context.previousResult.<field>}}",
].join(", ");
const knownDefault = /^(?:user\.(?:email|name|userId)|(?:user\.metadata|context\.previousResult)\.[^.]+(?:\.[^.]+)*)$/;

/**
 * Checks what the shape alone does not say: unique names, options and rules that fit the field's type, bounds in order,
 * patterns that run in linear time, defaults that can be filled.
 * @throws AppError 400 for the first problem, with its path (formSchema.fields.2.name)
 */
export function checkFormSchema(schema: FormSchema): void {
  const names = new Set<string>();
  for (const [index, field] of schema.fields.entries()) {
    const path = `formSchema.fields.${index}`;
    checkName(path, field.name, names);
    checkOptions(path, field);
    checkRules(`${path}.validation`, field.type, field.validation ?? {});
    checkDefault(`${path}.defaultValue`, field);
  }
}

function checkName(path: string, name: string, names: Set<string>) {
  // Such a name finds something in every object, wherever a value is looked up by it.
  if (name in Object.prototype || name === "prototype") throw invalid(`${path}.name`, "is reserved", "not_allowed");
  if (names.has(name)) throw invalid(`${path}.name`, "must be unique among the fields", "duplicate");
  names.add(name);
}

function checkOptions(path: string, { type, options }: FormField) {
  if (!optionTypes.has(type)) {
    if (options)
      throw invalid(`${path}.options`, `are for select and multiselect only, not for ${type}`, "not_allowed");
    return;
  }
  if (!options) throw invalid(`${path}.options`, `are required for a ${type}`, "required");
  const values = new Set<string>();
  for (const [index, { value }] of options.entries()) {
    if (values.has(value))
      throw invalid(`${path}.options.${index}.value`, "must be unique among the options", "duplicate");
    values.add(value);
  }
}

function checkRules(path: string, type: FieldType, rules: FieldValidation) {
  const { minLength, maxLength, min, max, pattern } = rules;
  for (const [rule, types] of Object.entries(appliesTo)) {
    if (Object.hasOwn(rules, rule) && !types.has(type)) {
      throw invalid(`${path}.${rule}`, `does not apply to ${type}, only to ${[...types].join(", ")}`, "not_allowed");
    }
  }
  if (minLength && maxLength && minLength.value > maxLength.value) {
    throw invalid(`${path}.minLength.value`, "must not be more than maxLength", "max");
  }
  const lowest = min ? boundOf(`${path}.min.value`, type, min.value) : -Infinity;
  const highest = max ? boundOf(`${path}.max.value`, type, max.value) : Infinity;
  if (lowest > highest) throw invalid(`${path}.min.value`, "must not be more than max", "max");
  if (pattern) checkPattern(`${path}.pattern.value`, pattern.value);
}

const appliesTo = {
  minLength: textTypes,
  maxLength: textTypes,
  pattern: textTypes,
  min: boundTypes,
  max: boundTypes,
} satisfies Partial<Record<keyof FieldValidation, Set<FieldType>>>;

/** @returns the bound as a number that compares: itself, or milliseconds */
function boundOf(path: string, type: FieldType, value: number | string): number {
  if (type === "number") {
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw invalid(path, "must be a number", "type");
  }
  const time = typeof value === "string" ? timeOf(type, value) : null;
  if (time !== null) return time;
  throw invalid(
    path,
    type === "date" ? "must be a date (2026-01-31)" : "must be a date and time (2026-01-31T09:30)",
    "format",
  );
}

function checkPattern(path: string, pattern: string) {
  try {
    compilePattern(pattern);
  } catch (error) {
    throw invalid(path, error instanceof Error ? error.message : "cannot be used", "pattern");
  }
}

function checkDefault(path: string, { type, defaultValue, options }: FormField) {
  if (defaultValue === undefined) return;
  if (fileTypes.has(type)) throw invalid(path, `is not for ${type}: only the visitor can choose a file`, "not_allowed");
  const placeholders = placeholdersOf(defaultValue);
  const unknown = placeholders.find((name) => !knownDefault.test(name));
  if (unknown !== undefined)
    throw invalid(path, `has an unknown {{${unknown}}}; known are ${knownDefaults}`, "unknown_reference");
  if (!options || placeholders.length > 0 || defaultValue === "") return;
  const values = new Set(options.map(({ value }) => value));
  const chosen = type === "multiselect" ? defaultValue.split(",").map((part) => part.trim()) : [];
  const isKnown = values.has(defaultValue) || (chosen.length > 0 && chosen.every((part) => values.has(part)));
  if (!isKnown) throw invalid(path, "must be one of the options' values", "enum");
}
