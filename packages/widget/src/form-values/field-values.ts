import type { FormField } from "@foyer/contract";
import { type AnswerKind, describeField } from "@foyer/contract/rules/field-types";
import { readNumber } from "./read-number.ts";

/**
 * What a control holds: text in the browser's format for that control, the values of the chosen options, or whether a
 * box is ticked.
 */
export type FormValue = string | boolean | readonly string[];
export type FormValues = Readonly<Record<string, FormValue>>;

/** Which values a control can hold, and how they are submitted. Files are held and submitted separately. */
type ValueRules = {
  accepts: (value: unknown, field: FormField) => boolean;
  toSubmitted: (value: FormValue) => unknown;
};

const isText = (value: unknown) => typeof value === "string";
const isOption = (value: unknown, { options = [] }: FormField) => options.some((option) => option.value === value);
const textOrNull = (value: FormValue) => value || null;

const valueRules: Record<AnswerKind, ValueRules> = {
  text: { accepts: isText, toSubmitted: textOrNull },
  number: {
    accepts: isText,
    toSubmitted(value) {
      const number = typeof value === "string" ? readNumber(value) : null;
      // Text that is not a number is submitted unchanged, so that validation rejects it.
      return typeof number === "number" ? number : textOrNull(value);
    },
  },
  date: { accepts: isText, toSubmitted: textOrNull },
  datetime: { accepts: isText, toSubmitted: textOrNull },
  choice: { accepts: (value, field) => value === "" || isOption(value, field), toSubmitted: textOrNull },
  choices: {
    accepts: (value, field) => Array.isArray(value) && value.every((one) => isOption(one, field)),
    toSubmitted: textOrNull,
  },
  boolean: { accepts: (value) => typeof value === "boolean", toSubmitted: (value) => value === true },
  file: { accepts: () => false, toSubmitted: textOrNull },
};

/**
 * The form data as it is submitted, with one entry per field: numbers as numbers, chosen options as an array, files as
 * data URLs. A field without a value is null; spaces count as a value.
 * @param files data URLs by field
 */
export function toFormData(
  fields: readonly FormField[],
  values: FormValues,
  files: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const { answer, format } = describeField(field);
      const value = (answer === "file" ? files : values)[field.name] ?? "";
      const isEmail = format === "email" && typeof value === "string";
      return [field.name, valueRules[answer].toSubmitted(isEmail ? value.trim() : value)];
    }),
  );
}

/** Whether the field can hold a restored value. */
export function accepts(field: FormField, value: unknown): value is FormValue {
  return valueRules[describeField(field).answer].accepts(value, field);
}

/** Whether the field has an answer. A box that is not ticked has none. */
export function isAnswered(value: FormValue | undefined): boolean {
  return typeof value === "boolean" ? value : value !== undefined && value.length > 0;
}
