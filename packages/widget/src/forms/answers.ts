import type { FormField } from "@foyer/contract";
import { type FormValue, type FormValues, isFileField } from "./field-values.ts";

type Filled = { values: FormValues; files: Readonly<Record<string, { name: string }>> };

/** What was filled in, as people read it. Fields without a value are left out. */
export function answersOf(
  fields: readonly FormField[],
  { values, files }: Filled,
  locale: string,
): Array<{ label: string; text: string }> {
  return fields.flatMap((field) => {
    const value = values[field.name] ?? "";
    const text = isFileField(field) ? (files[field.name]?.name ?? "") : textOf(field, value, locale);
    return text === "" ? [] : [{ label: field.label.trim() || field.name, text }];
  });
}

function textOf({ type, options = [] }: FormField, value: FormValue, locale: string): string {
  const labelOf = (one: string) => options.find((option) => option.value === one)?.label || one;
  if (typeof value !== "string") return new Intl.ListFormat(locale, { type: "unit" }).format(value.map(labelOf));
  if (type === "select") return labelOf(value);
  if (value === "" || (type !== "date" && type !== "datetime")) return value;
  const style = { dateStyle: "long", ...(type === "datetime" ? { timeStyle: "short" as const } : {}) } as const;
  // It is the visitor's own clock that it was read from, whatever zone that is in.
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: "UTC" }).format(
    new Date(type === "date" ? `${value}T00:00Z` : `${value}Z`),
  );
}
