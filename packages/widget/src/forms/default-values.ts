import type { FormField } from "@foyer/contract";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { timeOf } from "@foyer/contract/rules/form-dates";
import type { Identity } from "../foyer-api.ts";
import type { FormValue, FormValues } from "./field-values.ts";

/** What defaults may ask for. `previousResult` is what the tool before the form found, unless the site's context has one. */
export type DefaultFacts = {
  identity: Identity | null;
  context: Readonly<Record<string, unknown>>;
  previousResult: unknown;
};

/** What every field holds before the visitor does anything; nothing where the default cannot be shown in the field. */
export function defaultValues(fields: readonly FormField[], facts: DefaultFacts): FormValues {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      shown(
        field,
        fillTemplate(field.defaultValue ?? "", (name) => lookUp(name, facts)),
      ),
    ]),
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

function shown({ type, options = [] }: FormField, text: string): FormValue {
  const isOption = (value: string) => options.some((option) => option.value === value);
  switch (type) {
    case "multiselect": {
      const parts = isOption(text) ? [text] : text.split(",").map((part) => part.trim());
      return [...new Set(parts.filter(isOption))];
    }
    case "select":
      return isOption(text) ? text : "";
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? `${Number(text)}` : "";
    case "date":
      return timeOf(type, text) === null ? "" : text;
    case "datetime":
      return wallTime(text);
    case "file":
    case "image":
      return "";
    case "textarea":
      return text;
    case "email":
      return text.trim();
    default:
      // As a field of one line does.
      return text.replace(/[\r\n]+/g, " ");
  }
}

/** As the visitor's clock shows it, `2026-01-31T09:30`; a time without a zone is one already. */
function wallTime(text: string): string {
  const time = timeOf("datetime", text);
  if (time === null) return "";
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const offset = hasZone ? new Date(time).getTimezoneOffset() * 60_000 : 0;
  return hasZone ? new Date(time - offset).toJSON().slice(0, 16) : text.slice(0, 16);
}
