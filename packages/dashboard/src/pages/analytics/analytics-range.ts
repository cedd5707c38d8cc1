import type { ConversationAnalytics, ConversationCounts } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";

/** The page's search parameters. Days are in UTC, as on the server: `2026-01-31`. */
export type AnalyticsSearch = { range?: string; from?: string; to?: string; scope?: string };

export const ranges = [
  { value: "7d", label: "7 days", days: 7 },
  { value: "30d", label: "30 days", days: 30 },
  { value: "90d", label: "90 days", days: 90 },
  { value: "1y", label: "12 months", days: 366 },
] as const;

type RangeName = (typeof ranges)[number]["value"] | "custom";

const toDay = (instant: number) => new Date(instant).toISOString().slice(0, 10);

/**
 * The chosen range. Without a valid one it is the last 30 days; a custom range without a day on one side ends today.
 */
export function resolveRange(
  { range, from, to }: AnalyticsSearch,
  now = Date.now(),
): { name: RangeName; from: string; to: string } {
  const today = toDay(now);
  if (range === "custom") {
    const last = isDay(to) ? to : today;
    return { name: "custom", from: isDay(from) ? from : toDay(Date.parse(last) - 29 * DAY_MS), to: last };
  }
  const { value, days } = ranges.find((known) => known.value === range) ?? ranges[1];
  return { name: value, from: toDay(now - (days - 1) * DAY_MS), to: today };
}

/** The period of the same length that ends on the day before this one. */
export function precedingRange({ from, to }: { from: string; to: string }): { from: string; to: string } {
  const length = Date.parse(to) - Date.parse(from) + DAY_MS;
  return { from: toDay(Date.parse(from) - length), to: toDay(Date.parse(to) - length) };
}

function isDay(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

export type Day = ConversationAnalytics["days"][number] & { day: string };

/** Every day of the range, including those without activity. */
export function fillDays({ from, to, days }: Pick<ConversationAnalytics, "from" | "to" | "days">): Day[] {
  const known = new Map(days.map((day) => [day.date, day]));
  const filled: Day[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const date = toDay(at);
    filled.push({ ...(known.get(date) ?? { ...noCounts, date }), day: date });
  }
  return filled;
}

export const noCounts: ConversationCounts = {
  conversations: 0,
  replies: 0,
  failedReplies: 0,
  ratedUp: 0,
  ratedDown: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  fallbackReplies: 0,
  visitorAttachments: 0,
  memberAttachments: 0,
  cost: 0,
  unknownCostReplies: 0,
};

/** The pictures and files that visitors and members sent. */
export function countAttachments({ visitorAttachments, memberAttachments }: ConversationCounts): number {
  return visitorAttachments + memberAttachments;
}

export type Hour = ConversationAnalytics["hours"][number];

/**
 * The hours of the day in the viewer's time zone, from midnight.
 * @param offsetMinutes what `Date.getTimezoneOffset` returns; zones with half hours are rounded
 */
export function toLocalHours(hours: readonly Hour[], offsetMinutes = new Date().getTimezoneOffset()): Hour[] {
  const shift = Math.round(-offsetMinutes / 60);
  return hours
    .map((counts) => ({ ...counts, hour: (((counts.hour + shift) % 24) + 24) % 24 }))
    .sort((a, b) => a.hour - b.hour);
}

/** The share of a part in percent, or `null` if there is nothing to compare it with. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : (part / whole) * 100;
}
