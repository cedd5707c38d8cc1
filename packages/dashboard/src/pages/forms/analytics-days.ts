import type { FormAnalyticsDay, FormField } from "@foyer/contract";
import { labelText } from "@foyer/contract/rules/field-label";
import { DAY_MS } from "@foyer/contract/rules/time";

/** The selectable ranges. An unknown range in the URL means 30 days. */
export const ranges = [
  { id: "7d", name: "7 days", days: 7 },
  { id: "30d", name: "30 days", days: 30 },
  { id: "90d", name: "90 days", days: 90 },
  { id: "all", name: "All time", days: null },
] as const;
export type Range = (typeof ranges)[number];

export function findRange(id: string | undefined): Range {
  return ranges.find((range) => range.id === id) ?? ranges[1];
}

/** The first day of the range in UTC, as on the server. Undefined for all time. */
export function firstDay({ days }: Range, now = Date.now()): string | undefined {
  return days === null ? undefined : toDay(now - (days - 1) * DAY_MS);
}

/**
 * Every day of the range up to today, including days without visitors. All time starts with the first day that has
 * data.
 */
export function fillDays(days: readonly FormAnalyticsDay[], range: Range, now = Date.now()): FormAnalyticsDay[] {
  const first = firstDay(range, now) ?? days[0]?.date;
  if (!first) return [];
  const known = new Map(days.map((day) => [day.date, day]));
  const filled: FormAnalyticsDay[] = [];
  for (let at = Date.parse(first); at <= now; at += DAY_MS)
    filled.push(known.get(toDay(at)) ?? createEmptyDay(toDay(at)));
  return filled;
}

function createEmptyDay(date: string): FormAnalyticsDay {
  return { date, impressions: 0, started: 0, submitted: 0, successful: 0, failed: 0 };
}

const toDay = (instant: number) => new Date(instant).toISOString().slice(0, 10);

export type FieldRate = { name: string; label: string; isRequired: boolean; rate: number };

/** For each field, in form order: how many of the visitors who started the form filled it in. */
export function toFieldRates(fields: readonly FormField[], rates: Record<string, number>): FieldRate[] {
  return fields.map((field) => ({
    name: field.name,
    label: labelText(field),
    isRequired: field.validation?.required?.value === true,
    rate: rates[field.name] ?? 0,
  }));
}

/**
 * The required field with the largest drop from the field before it, if at least a tenth of those who started are lost
 * there.
 */
export function findLargestDrop(rates: readonly FieldRate[]): { label: string; lost: number } | null {
  let before = 100;
  let steepest: { label: string; lost: number } | null = null;
  for (const { label, isRequired, rate } of rates) {
    if (!isRequired) continue;
    const lost = before - rate;
    if (lost >= 10 && lost > (steepest?.lost ?? 0)) steepest = { label, lost };
    before = rate;
  }
  return steepest;
}

/** The analytics request for a range. */
export function analyticsQuery(agentId: string, range: Range) {
  const from = firstDay(range);
  return { agentId, groupBy: "day" as const, ...(from ? { from } : {}) };
}
