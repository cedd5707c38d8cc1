/**
 * The instant of a `date` value (`2026-01-31`) or a `datetime` value (`2026-01-31T09:30`, optionally with seconds,
 * milliseconds and a zone). A value without a zone counts as UTC, because the visitor's zone is unknown.
 * @returns milliseconds since 1970, or null for another format or a day that does not exist
 */
export function parseTime(type: "date" | "datetime", text: string): number | null {
  const shape =
    type === "date"
      ? /^(\d{4}-\d\d-\d\d)()$/
      : /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;
  const [, day, zone] = shape.exec(text) ?? [];
  // `Date` turns February 31 into March 3.
  if (day === undefined || new Date(`${day}T00:00Z`).toJSON()?.slice(0, 10) !== day) return null;
  const time = Date.parse(type === "date" || zone ? text : `${text}Z`);
  return Number.isNaN(time) ? null : time;
}
