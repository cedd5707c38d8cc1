import type { FormField } from "@foyer/contract";
import { describeField } from "@foyer/contract/rules/field-types";
import { validateForm } from "@foyer/contract/rules/validate-form";
import { type FormValues, toFormData } from "./field-values.ts";

/** Messages by field. */
export type Problems = Readonly<Record<string, string>>;

/** A submission takes 24 MiB, in which files are a third longer than they are; the rest is for what else was filled in. */
const MOST_FILE_BYTES = 17 * 1024 * 1024;

type Filled = {
  values: FormValues;
  files: Readonly<Record<string, { type: string; size: number }>>;
  /** Fields in which the browser could not read what was typed: their value is empty, and yet they are not. */
  unreadable: ReadonlySet<string>;
};

/** What is wrong with what was filled in, by the server's own rules and in its words. */
export function problemsOf(
  fields: readonly FormField[],
  { values, files, unreadable }: Filled,
  words: { filesTooLarge: string; boxRequired: string },
): Problems {
  const chosen = Object.entries(files);
  const data = toFormData(fields, values, {});
  for (const field of unreadable) data[field] = "?";
  const taken = new Map(chosen.map(([field, { type, size }]) => [field, { prefix: `data:${type};base64,`, size }]));
  // The message for a box is the one that Foyer translates: its English words follow a whole sentence as the label.
  const boxes = new Map(fields.filter(isPlainBox).map(({ name }) => [name, words.boxRequired]));
  const found = validateForm(fields, data, patternFor, taken).map(
    ({ field, message }) => [field, boxes.get(field) ?? message] as const,
  );
  const sum = chosen.reduce((bytes, { 1: file }) => bytes + file.size, 0);
  const [last] = chosen.at(-1) ?? [];
  const isTooMuch = found.length === 0 && sum > MOST_FILE_BYTES && last !== undefined;
  return Object.fromEntries(isTooMuch ? [[last, words.filesTooLarge]] : found);
}

/** A box without an error message of its own. It can only be wrong in one way. */
function isPlainBox(field: FormField): boolean {
  return describeField(field).answer === "boolean" && !field.validation?.required?.message;
}

/** Like the server, it goes by whole characters where the pattern lets it. What this browser cannot read, the server checks. */
function patternFor(pattern: string): { test(value: string): boolean } {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // The next way, or none.
    }
  }
  return { test: () => true };
}

/** The server's details that belong to a field of the form; anything else is not the visitor's to mend. */
export function problemsFrom(
  fields: readonly FormField[],
  details: ReadonlyArray<{ path: string; message: string }>,
): Problems {
  const known = new Set(fields.map(({ name }) => `formData.${name}`));
  const found = details.filter(({ path }) => known.has(path));
  return Object.fromEntries(found.map(({ path, message }) => [path.slice("formData.".length), message]));
}
