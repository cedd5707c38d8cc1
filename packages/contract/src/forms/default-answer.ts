import { type AnswerKind, describeField } from "../rules/field-types.ts";
import { parseTime } from "../rules/form-dates.ts";
import type { FormField } from "./form.ts";

type Convert = (text: string, field: FormField) => string | boolean | string[];

/**
 * Converts a default value to what a control holds. Returns "" or [] if the control cannot hold it. What a
 * `number` and a `datetime` hold depends on the visitor.
 */
export const convertDefault: Record<Exclude<AnswerKind, "number" | "datetime">, Convert> = {
  text: toOneLine,
  date: (text) => (parseTime("date", text) === null ? "" : text),
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
