import type { FormField, VerifiedVisitor } from "@foyer/contract";
import { convertDefault } from "@foyer/contract/rules/default-answer";
import { describeField, holdsFile } from "@foyer/contract/rules/field-types";
import { fillTemplate, findPlaceholders } from "@foyer/contract/rules/fill-template";
import { parseTime } from "@foyer/contract/rules/form-dates";
import { validateForm } from "@foyer/contract/rules/validate-form";

type FormData = Record<string, unknown>;

/**
 * Gives read-only fields the values that the form shows, whatever was sent: static defaults, and what the visitor has
 * proved. A default that the field cannot hold is left to the visitor, as in the widget.
 * @returns `changeable`, the read-only fields with a value that a visitor could have changed
 */
export function keepReadOnly(
  fields: readonly FormField[],
  sent: FormData,
  verified: VerifiedVisitor | null,
): { formData: FormData; changeable: string[] } {
  const formData = { ...sent };
  const changeable: string[] = [];
  for (const field of fields) {
    if (!field.disabled || holdsFile(field)) continue;
    const { name } = field;
    const text = fillDefault(field.defaultValue ?? "", verified);
    const value = text === null ? undefined : toAnswer(field, text);
    const isHeld = value !== undefined && validateForm([field], { [name]: value }, { compilePattern }).length === 0;
    if (isHeld) formData[name] = value;
    else if (!isEmpty(Object.hasOwn(sent, name) ? sent[name] : null)) changeable.push(name);
  }
  return { formData, changeable };
}

/** Patterns are for what visitors enter. */
const compilePattern = () => ({ test: () => true });

const convert = {
  ...convertDefault,
  number: (text: string) => (text.trim() !== "" && Number.isFinite(Number(text)) ? text : ""),
  datetime: (text: string) => (parseTime("datetime", text) === null ? "" : text),
};

function toAnswer(field: FormField, text: string): unknown {
  const { answer } = describeField(field);
  const value = convert[answer](text, field);
  if (typeof value === "boolean") return value;
  // An invalid default leaves the field to the visitor.
  if (value.length === 0) return text === "" ? null : undefined;
  return answer === "number" ? Number(value) : value;
}

/** @returns null if the server cannot know a value of the template */
function fillDefault(template: string, verified: VerifiedVisitor | null): string | null {
  const values = new Map(findPlaceholders(template).map((name) => [name, findProven(name, verified)]));
  if ([...values.values()].includes(undefined)) return null;
  return fillTemplate(template, (name) => values.get(name));
}

function findProven(name: string, verified: VerifiedVisitor | null): string | undefined {
  const { id: userId, email, name: userName, claims: metadata } = verified ?? {};
  let value: unknown = { user: { userId, email, name: userName, metadata } };
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? `${value}` : undefined;
}

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0);
