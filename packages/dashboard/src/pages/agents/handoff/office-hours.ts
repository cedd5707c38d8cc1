import type { OfficeHours } from "@foyer/contract";

export type Span = OfficeHours["days"][number];
export type Exception = OfficeHours["exceptions"][number];

/** Monday is day 1 and Sunday is day 7, as in ISO 8601. */
export const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

const usual = { from: "09:00", to: "17:00" };

/** Weekdays from 9 to 5 in the time zone of this browser. */
export function createUsualHours(): OfficeHours {
  return {
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    days: [1, 2, 3, 4, 5].map((day) => ({ day, ...usual })),
    exceptions: [],
  };
}

/** The spans of a day, in the order in which they were entered. */
export function listSpans({ days }: OfficeHours, day: number): Span[] {
  return days.filter((span) => span.day === day);
}

/** The hours with other spans on one day. The days stay in the order of the week. */
export function withSpans(hours: OfficeHours, day: number, spans: readonly Span[]): OfficeHours {
  const others = hours.days.filter((span) => span.day !== day);
  return { ...hours, days: [...others, ...spans].sort((a, b) => a.day - b.day) };
}

/** A span to add to a day: from the end of its last one, or the usual hours. */
export function nextSpan(day: number, spans: readonly Span[]): Span {
  const last = spans.at(-1);
  if (!last || last.to >= "23:00") return { day, ...usual };
  const hour = Number(last.to.slice(0, 2)) + 1;
  return { day, from: `${String(hour).padStart(2, "0")}:00`, to: hour < 18 ? "18:00" : "24:00" };
}

/** A time field has no 24:00: at the end of a span, it shows midnight as 00:00. */
export const toField = (time: string): string => (time === "24:00" ? "00:00" : time);
export const endFromField = (time: string): string => (time === "00:00" ? "24:00" : time);

/** Whether a span ends before it starts, which the server refuses. */
export const isBackwards = ({ from, to }: { from: string; to: string }): boolean => to <= from;

/** The time zones that this browser supports, plus `used` if it is not one of them. */
export function listTimeZones(used: string): string[] {
  const known = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  return known.includes(used) ? known : [used, ...known];
}

export function withException(hours: OfficeHours, at: number, exception: Exception | null): OfficeHours {
  const exceptions = hours.exceptions.toSpliced(at, 1, ...(exception ? [exception] : []));
  return { ...hours, exceptions };
}

/** A day off on the day after the last exception, or tomorrow. */
export function nextException({ exceptions }: OfficeHours, now: Date): Exception {
  const last = exceptions.at(-1)?.date;
  const base = last ? new Date(`${last}T12:00`) : now;
  const date = new Date(base.getFullYear(), base.getMonth(), base.getDate() + 1, 12);
  const digits = (value: number) => String(value).padStart(2, "0");
  return {
    date: `${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`,
    from: null,
    to: null,
  };
}
