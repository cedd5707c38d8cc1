import type { FormField } from "../form.ts";

/**
 * The moment that a value of a `date` (`2026-01-31`) or `datetime` field (`2026-01-31T09:30`, with seconds, milliseconds
 * and a zone where wanted) stands for. Without a zone it is compared as UTC: the visitor's zone is not known here.
 * @returns milliseconds since 1970, or null for what is written differently or is not in the calendar
 */
export function timeOf(type: FormField["type"], text: string): number | null {
  const shape =
    type === "date"
      ? /^(\d{4}-\d\d-\d\d)()$/
      : /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;
  const [, day, zone] = shape.exec(text) ?? [];
  // `Date` makes 3 March of 31 February.
  if (day === undefined || new Date(`${day}T00:00Z`).toJSON()?.slice(0, 10) !== day) return null;
  const time = Date.parse(type === "date" || zone ? text : `${text}Z`);
  return Number.isNaN(time) ? null : time;
}
