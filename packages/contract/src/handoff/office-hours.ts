import { DAY_MS, MINUTE_MS } from "../rules/time.ts";
import type { OfficeHours } from "./handoff.ts";

/** How far ahead opening hours are searched. */
const HORIZON_MS = 366 * DAY_MS;

/** Whether `name` is an IANA time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    return wallClock(name) !== undefined;
  } catch {
    return false;
  }
}

/** Whether the office is open at this instant, in milliseconds. `null` means that it never closes. */
export function isOpen(hours: OfficeHours | null, at: number): boolean {
  if (hours === null) return true;
  const local = at + readOffset(hours.timeZone, at);
  const midnight = startOfDay(local);
  return listSpans(hours, midnight).some(({ from, to }) => from <= local - midnight && local - midnight < to);
}

/** When the office opens again, in milliseconds. `null` if it is open, or stays closed for a year. */
export function findOpening(hours: OfficeHours | null, at: number): number | null {
  if (hours === null || isOpen(hours, at)) return null;
  for (const { from } of openIntervals(hours, at)) return from;
  return null;
}

/**
 * The instant, in milliseconds, by which something promised within `minutes` is due. Only time within the office hours
 * counts. `null` if the office is not open that long within a year.
 */
export function addOpenMinutes(hours: OfficeHours | null, minutes: number, at: number): number | null {
  let remaining = minutes * MINUTE_MS;
  if (hours === null) return at + remaining;
  for (const { from, to } of openIntervals(hours, at)) {
    if (to - from >= remaining) return from + remaining;
    remaining -= to - from;
  }
  return null;
}

/** The time within the office hours between two instants, in milliseconds. At most that of the first year. */
export function countOpenTime(hours: OfficeHours | null, from: number, to: number): number {
  if (hours === null) return Math.max(to - from, 0);
  let sum = 0;
  for (const open of openIntervals(hours, from)) {
    if (open.from >= to) break;
    sum += Math.min(open.to, to) - open.from;
  }
  return sum;
}

/** The offsets of a time zone from UTC between two instants, each from the instant on which it applies. Milliseconds. */
export function listOffsets(timeZone: string, from: number, to: number): Array<{ from: number; offset: number }> {
  const offsets = [{ from, offset: readOffset(timeZone, from) }];
  for (let start = from; start < to; ) {
    start = findOffsetChange(timeZone, start, Math.min(start + DAY_MS, to));
    const offset = readOffset(timeZone, start);
    if (start < to && offset !== offsets.at(-1)?.offset) offsets.push({ from: start, offset });
  }
  return offsets;
}

type Interval = { from: number; to: number };

/**
 * The open intervals after an instant, in order and without overlaps. Adjacent intervals are not joined. The walk goes
 * through pieces of time within one local day and one offset from UTC, because local times convert linearly only there.
 */
function* openIntervals(hours: OfficeHours, at: number): Generator<Interval> {
  if (hours.days.length === 0 && hours.exceptions.every(({ from }) => from === null)) return;
  let start = at;
  while (start < at + HORIZON_MS) {
    const offset = readOffset(hours.timeZone, start);
    const midnight = startOfDay(start + offset);
    const end = findOffsetChange(hours.timeZone, start, midnight + DAY_MS - offset);
    let covered = start;
    for (const span of listSpans(hours, midnight)) {
      const from = Math.max(midnight + span.from - offset, covered);
      const to = Math.min(midnight + span.to - offset, end);
      if (from < to) yield { from, to };
      covered = Math.max(covered, to);
    }
    start = end;
  }
}

/**
 * The open spans of a local day in milliseconds since midnight, ordered by their start. Exceptions replace the weekly
 * hours.
 */
function listSpans({ days, exceptions }: OfficeHours, midnight: number): Interval[] {
  const date = new Date(midnight).toISOString().slice(0, 10);
  const weekday = new Date(midnight).getUTCDay() || 7;
  const special = exceptions.filter((exception) => exception.date === date);
  const spans = special.length > 0 ? special : days.filter(({ day }) => day === weekday);
  return spans
    .flatMap(({ from, to }) =>
      from === null || to === null ? [] : [{ from: parseTimeOfDay(from), to: parseTimeOfDay(to) }],
    )
    .sort((a, b) => a.from - b.from);
}

/** Converts a time such as `09:30` to milliseconds since midnight. */
function parseTimeOfDay(text: string): number {
  return (Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))) * MINUTE_MS;
}

const startOfDay = (local: number) => Math.floor(local / DAY_MS) * DAY_MS;

/** The first instant after `start` at which the offset from UTC changes, or `end` if it does not change before. */
function findOffsetChange(timeZone: string, start: number, end: number): number {
  const offset = readOffset(timeZone, start);
  if (readOffset(timeZone, end - 1) === offset) return end;
  let [before, after] = [start, end - 1];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (readOffset(timeZone, middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** The zone's offset from UTC in milliseconds. Positive east of Greenwich. */
function readOffset(timeZone: string, at: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of wallClock(timeZone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return local - Math.floor(at / 1_000) * 1_000;
}

/** Cached, because creating a formatter takes about 50 µs and using one takes about 2 µs. */
const wallClocks = new Map<string, Intl.DateTimeFormat>();
const MAX_WALL_CLOCKS = 100;

/** @throws RangeError for a time zone that does not exist */
function wallClock(timeZone: string): Intl.DateTimeFormat {
  const known = wallClocks.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (wallClocks.size >= MAX_WALL_CLOCKS) wallClocks.clear();
  wallClocks.set(timeZone, format);
  return format;
}
