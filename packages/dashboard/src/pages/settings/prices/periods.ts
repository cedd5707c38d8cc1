import { DAY_MS } from "@foyer/contract/rules/time";

export const periods = [
  { value: "last-month", label: "Last month" },
  { value: "this-month", label: "This month" },
  { value: "30-days", label: "Last 30 days" },
] as const;

export type Period = (typeof periods)[number]["value"];

/** The first and the last day of a period, in UTC. */
export function findPeriod(period: Period, now: Date): { from: string; to: string } {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  if (period === "30-days") return { from: toDay(now.getTime() - 29 * DAY_MS), to: toDay(now.getTime()) };
  if (period === "this-month") return { from: toDay(Date.UTC(year, month, 1)), to: toDay(now.getTime()) };
  return { from: toDay(Date.UTC(year, month - 1, 1)), to: toDay(Date.UTC(year, month, 0)) };
}

const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
