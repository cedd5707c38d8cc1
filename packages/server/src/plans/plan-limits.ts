import type { planIds } from "../config.ts";

type PlanId = (typeof planIds)[number];

/** What each plan allows; `null` means unlimited. */
const limits: Record<PlanId, { toolsPerAgent: number | null }> = {
  free: { toolsPerAgent: 3 },
  starter: { toolsPerAgent: 10 },
  growth: { toolsPerAgent: 50 },
  pro: { toolsPerAgent: null },
};

/** The limits of a plan; a plan that this version does not know is treated as the smallest. */
export function limitsOf(plan: string) {
  return limits[plan as PlanId] ?? limits.free;
}
