/**
 * The moment that the value of a `date` field (`2026-01-31`) or of a `datetime` field (`2026-01-31T09:30`, optionally
 * with seconds, milliseconds and a zone) stands for. A value without a zone counts as UTC, because the visitor's zone is
 * not known here.
 * @returns milliseconds since 1970, or null for another format and for days that are not in the calendar
 */
export function timeOf(type: "date" | "datetime", text: string): number | null {
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
