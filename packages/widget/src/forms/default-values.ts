import type { FormField } from "@foyer/contract";
import { convertDefault } from "@foyer/contract/rules/default-answer";
import { describeField } from "@foyer/contract/rules/field-types";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { parseTime } from "@foyer/contract/rules/form-dates";
import type { FormValues } from "../form-values/field-values.ts";
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

/** Controls show numbers as they are read, and the time of a `datetime` in the visitor's zone. */
const fromDefault = {
  ...convertDefault,
  number: (text: string) => (text.trim() !== "" && Number.isFinite(Number(text)) ? writeNumber(Number(text)) : ""),
  datetime: toWallTime,
};

/** Returns local time as `2026-01-31T09:30`. A time without a zone is already local. */
function toWallTime(text: string): string {
  const time = parseTime("datetime", text);
  if (time === null) return "";
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  // A constant shared with the handoff would become a file that visitors load.
  const offset = hasZone ? new Date(time).getTimezoneOffset() * 60_000 : 0;
  return hasZone ? new Date(time - offset).toJSON().slice(0, 16) : text.slice(0, 16);
}
