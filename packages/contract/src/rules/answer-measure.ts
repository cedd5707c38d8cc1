import { type AnswerKind, type FieldType, fieldTypes } from "./field-types.ts";
import { parseTime } from "./form-dates.ts";

/**
 * The number by which an answer is compared with `min` and `max`: the number itself, or milliseconds since 1970.
 * @returns null for types without an order, and for values of another type
 */
export function measureAnswer(type: FieldType, value: unknown): number | null {
  return measures[fieldTypes[type].answer](value);
}

const withoutOrder = () => null;

const measures: Record<AnswerKind, (value: unknown) => number | null> = {
  text: withoutOrder,
  number(value) {
    // `Number` would also accept "", " 1 ", "0x1" and "Infinity".
    const number = typeof value === "string" && /^[-+.\de]+$/i.test(value) ? Number(value) : value;
    return typeof number === "number" && Number.isFinite(number) ? number : null;
  },
  date: (value) => (typeof value === "string" ? parseTime("date", value) : null),
  datetime: (value) => (typeof value === "string" ? parseTime("datetime", value) : null),
  choice: withoutOrder,
  choices: withoutOrder,
  boolean: withoutOrder,
  file: withoutOrder,
};
