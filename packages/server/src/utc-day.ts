import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { DAY_MS } from "@foyer/contract/rules/time";

let latest = { number: Number.NaN, day: "" };

/** The UTC day of a time in milliseconds, such as `2026-01-31`. Caches the last day, because calls mostly repeat it. */
export function toUtcDay(instant: number): string {
  const number = Math.floor(instant / DAY_MS);
  if (number !== latest.number) latest = { number, day: new Date(instant).toISOString().slice(0, 10) };
  return latest.day;
}

/**
 * Converts a time range to milliseconds. `to` is exclusive, and a date in it includes the whole day. Absent bounds are
 * omitted.
 */
export function toInstants({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return omitUndefined({
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to) + (to.includes("T") ? 0 : DAY_MS),
  });
}
