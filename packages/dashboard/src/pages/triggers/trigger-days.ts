import { DAY_MS } from "@foyer/contract/rules/time";
import type { Output } from "@foyer/sdk";

type Counts = Output<"getTriggerStats">[string];
export type DayCounts = { day: string; fired: number; converted: number };

/** The last `count` days in UTC, as the server counts them, oldest first: `2026-01-31`. */
export function listLastDays(count: number, now = Date.now()): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The first of the last `count` days in UTC. */
export function firstDay(count: number, now = Date.now()): string {
  return new Date(now - (count - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** Each of these days with its counts. The server omits days without any. */
export function countByDay(days: readonly string[], counts: Counts | undefined): DayCounts[] {
  const known = new Map(counts?.days?.map((entry) => [entry.day, entry]));
  return days.map((day) => ({
    day,
    fired: known.get(day)?.firedCount ?? 0,
    converted: known.get(day)?.convertedCount ?? 0,
  }));
}
