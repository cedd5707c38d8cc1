import { DAY_MS } from "@foyer/contract/rules/time";
import { toUtcDay } from "../../utc-day.ts";

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

export type AnalyticsQuery = { agentId?: string | undefined; from?: string | undefined; to?: string | undefined };

/** Limits the range to its last 366 days. Without a first day, it covers 30 days. */
export function parseRange({ from, to }: Omit<AnalyticsQuery, "agentId">): { from: string; to: string } {
  const end = to === undefined ? Date.now() : Date.parse(to);
  const last = toUtcDay(end);
  const earliest = toUtcDay(end - (MAX_DAYS - 1) * DAY_MS);
  const first = toUtcDay(from === undefined ? end - (DEFAULT_DAYS - 1) * DAY_MS : Date.parse(from));
  return { from: first < earliest ? earliest : first, to: last };
}
