import type { FormField } from "@foyer/contract";

/** What a field holds while it is filled in: a text as the browser's control has it, or the chosen options. */
export type FormValue = string | readonly string[];
export type FormValues = Readonly<Record<string, FormValue>>;

export const isFileField = ({ type }: FormField): boolean => type === "file" || type === "image";

/**
 * The data as it is sent, one entry a field: a number as a number, chosen options as an array, a file as its data URL.
 * What was not given is null. Spaces are a text.
 * @param files data URLs by field
 */
export function toFormData(
  fields: readonly FormField[],
  values: FormValues,
  files: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, sentValue(field, values[field.name], files)]));
}

function sentValue(field: FormField, value: FormValue = "", files: Readonly<Record<string, string>>): unknown {
  if (isFileField(field)) return files[field.name] ?? null;
  if (typeof value !== "string" || value === "") return value || null;
  if (field.type !== "number") return value;
  const number = Number(value);
  // A text that no number stands for is for the check to refuse.
  return Number.isFinite(number) ? number : value;
}

/** Whether a restored value is one that the field can hold. */
export function fits({ type, options = [] }: FormField, value: unknown): value is FormValue {
  const isOption = (one: unknown) => options.some((option) => option.value === one);
  if (type === "multiselect") return Array.isArray(value) && value.every(isOption);
  if (type === "select") return value === "" || isOption(value);
  return typeof value === "string" && type !== "file" && type !== "image";
}
