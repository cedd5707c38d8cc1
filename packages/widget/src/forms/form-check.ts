import type { FormField } from "@foyer/contract";
import { describeField } from "@foyer/contract/rules/field-types";
import { compileRegExp } from "@foyer/contract/rules/form-pattern";
import { validateForm } from "@foyer/contract/rules/validate-form";
import { type FormValues, toFormData } from "../form-values/field-values.ts";
import { readNumber, writeNumber } from "../form-values/read-number.ts";
import { interpolate } from "../locales/load-messages.ts";
import type { FormMessages } from "./texts/load-form-messages.ts";

/** Error messages by field name. */
export type Problems = Readonly<Record<string, string>>;

/**
 * The maximum total size of a form's files. A submission may have 24 MiB. Base64 makes files a third larger, and the
 * rest remains for the other answers.
 */
const MAX_TOTAL_FILE_BYTES = 17 * 1024 * 1024;

type Filled = {
  values: FormValues;
  files: Readonly<Record<string, { type: string; size: number }>>;
  /** Fields whose input the browser could not parse. Their value is empty although the visitor has typed something. */
  unreadable: ReadonlySet<string>;
};

/** Validates the answers with the server's own rules and messages. */
export function validateAnswers(
  fields: readonly FormField[],
  { values, files, unreadable }: Filled,
  {
    messages,
    locale,
  }: {
    messages: Pick<
      FormMessages,
      "filesTooLarge" | "boxRequired" | "fieldRequired" | "choicesRequired" | "numberEither"
    >;
    locale: string;
  },
): Problems {
  const chosen = Object.entries(files);
  const data = toFormData(fields, values, {});
  for (const field of unreadable) data[field] = "?";
  const ambiguous = new Map<string, readonly [number, number]>();
  for (const field of fields) {
    const value = values[field.name];
    const number = describeField(field).answer === "number" && typeof value === "string" ? readNumber(value) : null;
    if (typeof number !== "object" || number === null) continue;
    ambiguous.set(field.name, number);
    data[field.name] = "?";
  }
  const taken = new Map(chosen.map(([field, { type, size }]) => [field, { prefix: `data:${type};base64,`, size }]));
  // The server's English message would repeat the label, which may be a whole sentence.
  const required: Record<string, string> = { boolean: messages.boxRequired, choices: messages.choicesRequired };
  const byName = new Map(fields.map((field) => [field.name, field]));
  const found = validateForm(fields, data, { compilePattern, files: taken }).map(({ field: name, code, message }) => {
    const either = ambiguous.get(name);
    if (either) {
      const [first, second] = either.map((number) => writeNumber(number, locale));
      return [name, interpolate(messages.numberEither, { first: first ?? "", second: second ?? "" })] as const;
    }
    const field = byName.get(name);
    const isDefault = code === "required" && field && !field.validation?.required?.message;
    return [name, isDefault ? (required[describeField(field).answer] ?? messages.fieldRequired) : message] as const;
  });
  const sum = chosen.reduce((bytes, { 1: file }) => bytes + file.size, 0);
  const [last] = chosen.at(-1) ?? [];
  const isTooMuch = found.length === 0 && sum > MAX_TOTAL_FILE_BYTES && last !== undefined;
  return Object.fromEntries(isTooMuch ? [[last, messages.filesTooLarge]] : found);
}

/** Patterns that this browser cannot compile are left to the server. */
function compilePattern(pattern: string): { test(value: string): boolean } {
  try {
    return compileRegExp(pattern);
  } catch {
    return { test: () => true };
  }
}

/** The server's error details that concern a field of the form. The visitor cannot fix any other errors. */
export function toFieldErrors(
  fields: readonly FormField[],
  details: ReadonlyArray<{ path: string; message: string }>,
): Problems {
  const known = new Set(fields.map(({ name }) => `formData.${name}`));
  const found = details.filter(({ path }) => known.has(path));
  return Object.fromEntries(found.map(({ path, message }) => [path.slice("formData.".length), message]));
}
