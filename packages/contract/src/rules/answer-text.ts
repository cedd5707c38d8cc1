import { type AnswerKind, type FieldType, fieldTypes } from "./field-types.ts";
import { parseTime } from "./form-dates.ts";

type AnswerTextOptions = {
  /** A BCP 47 tag. Undefined means the locale of the program that runs this. */
  locale: string | undefined;
  dateStyle: "medium" | "long";
  /** The words for `true` and `false`. */
  yes: string;
  no: string;
};

/** The field of an answer. `type` is missing when the form no longer has the field. */
type AnsweredField = { type?: FieldType | null; options?: ReadonlyArray<{ label: string; value: string }> };

/**
 * Returns a function that formats answers for people: options by their labels, lists and dates by the locale, "" for a
 * missing answer. Dates are shown as they were entered, without a time zone. A date that has a zone is left unchanged,
 * as is a value that does not fit the field's type, because the form may have changed since.
 */
export function createAnswerText({ locale, dateStyle, yes, no }: AnswerTextOptions) {
  const formatDate = (type: "date" | "datetime", text: string) => {
    const time = /Z|[+-]\d\d:\d\d$/.test(text) ? null : parseTime(type, text);
    const timeStyle = type === "date" ? undefined : "short";
    return time === null
      ? text
      : new Intl.DateTimeFormat(locale, { dateStyle, timeStyle, timeZone: "UTC" }).format(time);
  };
  const asIs = (text: string) => text;
  const findLabel = (text: string, { options }: AnsweredField) =>
    options?.find(({ value }) => value === text)?.label || text;

  const texts: Record<AnswerKind, (text: string, field: AnsweredField) => string> = {
    text: asIs,
    number: asIs,
    date: (text) => formatDate("date", text),
    datetime: (text) => formatDate("datetime", text),
    choice: findLabel,
    choices: findLabel,
    boolean: asIs,
    file: asIs,
  };

  return function answerText(field: AnsweredField, value: unknown): string {
    if (value === null || value === undefined) return "";
    if (Array.isArray(value)) {
      return new Intl.ListFormat(locale, { type: "unit" }).format(value.map((item) => answerText(field, item)));
    }
    if (typeof value === "boolean") return value ? yes : no;
    if (typeof value === "object") return JSON.stringify(value);
    return field.type ? texts[fieldTypes[field.type].answer](`${value}`, field) : `${value}`;
  };
}
