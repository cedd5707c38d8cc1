import type { TriggerCounts, TriggerStatsQuery } from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import type { Deps } from "../deps.ts";
import { toUtcDay } from "../utc-day.ts";
import { createTriggerStatsStore } from "./stats-store.ts";

/**
 * Trigger statistics from counters, so that the time does not depend on the number of events. Includes triggers without
 * events.
 */
export function createTriggerStats(deps: Pick<Deps, "db" | "reads">, agents: AgentService) {
  const store = createTriggerStatsStore(deps);
  return async (organizationId: string, { agentId, from, to, groupBy }: TriggerStatsQuery) => {
    if (agentId !== undefined) await agents.get(organizationId, agentId);
    const parseDay = (text: string | undefined) => (text === undefined ? null : toUtcDay(Date.parse(text)));
    const filter = { organizationId, agentId: agentId ?? null, from: parseDay(from), to: parseDay(to) };
    if (groupBy === "day") return groupByDay(await store.days(filter));
    const rows = await store.totals(filter);
    return Object.fromEntries(
      rows.map(({ id, fired, converted }) => [id, { firedCount: fired, convertedCount: converted }]),
    );
  };
}

type DayRows = Awaited<ReturnType<ReturnType<typeof createTriggerStatsStore>["days"]>>;

function groupByDay(rows: DayRows): Record<string, TriggerCounts> {
  const stats: Record<string, TriggerCounts & Required<Pick<TriggerCounts, "days">>> = {};
  for (const { id, day, fired, converted } of rows) {
    stats[id] ??= { firedCount: 0, convertedCount: 0, days: [] };
    if (day === null) continue;
    const counts = { firedCount: fired ?? 0, convertedCount: converted ?? 0 };
    stats[id].firedCount += counts.firedCount;
    stats[id].convertedCount += counts.convertedCount;
    stats[id].days.push({ day, ...counts });
  }
  return stats;
}
