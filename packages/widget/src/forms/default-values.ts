import type { FormField } from "@foyer/contract";
import { type AnswerKind, describeField } from "@foyer/contract/rules/field-types";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { parseTime } from "@foyer/contract/rules/form-dates";
import type { FormValue, FormValues } from "../form-values/field-values.ts";
import { writeNumber } from "../form-values/read-number.ts";
import type { Identity } from "../foyer-api.ts";

/**
 * The values that default values can refer to. The site's context takes precedence over the result of the tool before
 * the form.
 */
export type DefaultFacts = {
  identity: Identity | null;
  context: Readonly<Record<string, unknown>>;
  previousResult: unknown;
};

/** The initial value of every field. A default that its control cannot hold leaves the field empty. */
export function defaultValues(fields: readonly FormField[], facts: DefaultFacts): FormValues {
  return Object.fromEntries(
    fields.map((field) => {
      const text = fillTemplate(field.defaultValue ?? "", (name) => lookUp(name, facts));
      return [field.name, fromDefault[describeField(field).answer](text, field)];
    }),
  );
}

function lookUp(name: string, { identity, context, previousResult }: DefaultFacts): string | undefined {
  const { userId, userEmail: email, userName, metadata } = identity ?? {};
  const known = { user: { userId, email, name: userName, metadata }, context: { previousResult, ...context } };
  let value: unknown = known;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? `${value}` : undefined;
}

/** Converts a default value to the value of its control. Returns "" or [] if the control cannot hold it. */
const fromDefault: Record<AnswerKind, (text: string, field: FormField) => FormValue> = {
  text: toOneLine,
  number: (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? writeNumber(Number(text)) : ""),
  date: (text) => (parseTime("date", text) === null ? "" : text),
  datetime: toWallTime,
  choice: (text, field) => (isOption(field, text) ? text : ""),
  choices(text, field) {
    const parts = isOption(field, text) ? [text] : text.split(",").map((part) => part.trim());
    return [...new Set(parts.filter((part) => isOption(field, part)))];
  },
  // A preselected box is not valid consent, so visitors must tick a required box themselves.
  boolean: (text, field) => text.trim() === "true" && field.validation?.required?.value !== true,
  file: () => "",
};

const isOption = ({ options = [] }: FormField, value: string) => options.some((option) => option.value === value);

/** An input of one line drops line breaks, and one for an email address also drops the spaces around it. */
function toOneLine(text: string, field: FormField): string {
  const { isMultiline, format } = describeField(field);
  if (isMultiline) return text;
  return format === "email" ? text.trim() : text.replace(/[\r\n]+/g, " ");
}

/** Returns local time as `2026-01-31T09:30`. A time without a zone is already local. */
function toWallTime(text: string): string {
  const time = parseTime("datetime", text);
  if (time === null) return "";
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  // A constant shared with the handoff would become a file that visitors load.
  const offset = hasZone ? new Date(time).getTimezoneOffset() * 60_000 : 0;
  return hasZone ? new Date(time - offset).toJSON().slice(0, 16) : text.slice(0, 16);
}
