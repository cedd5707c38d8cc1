import { HOUR_MS } from "@foyer/contract/rules/time";

/** The milliseconds of extraction per organization and hour from which on an organization is heavy. */
const BUDGET_MS = 120_000;
const REFILL_MS = HOUR_MS;
const MAX_ORGANIZATIONS = 10_000;

/**
 * Counts how long the files of each organization are read. What was used is forgotten at the rate of one budget per
 * hour.
 * @param now a clock in milliseconds
 */
export function createExtractionUsage(now: () => number = () => performance.now()) {
  /** What each organization had used at an instant, from the oldest to the newest one. */
  const usage = new Map<string, { usedMs: number; at: number }>();

  function usedMs(organizationId: string): number {
    const entry = usage.get(organizationId);
    return entry ? Math.max(0, entry.usedMs - ((now() - entry.at) * BUDGET_MS) / REFILL_MS) : 0;
  }

  function add(organizationId: string, ms: number): void {
    const total = usedMs(organizationId) + ms;
    usage.delete(organizationId);
    usage.set(organizationId, { usedMs: total, at: now() });
    const [oldest] = usage.keys();
    if (usage.size > MAX_ORGANIZATIONS && oldest !== undefined) usage.delete(oldest);
  }

  return {
    /** Whether the organization has used up its budget. */
    isHeavy: (organizationId: string): boolean => usedMs(organizationId) >= BUDGET_MS,
    async measure<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
      const startedAt = now();
      try {
        return await work();
      } finally {
        add(organizationId, now() - startedAt);
      }
    },
  };
}
