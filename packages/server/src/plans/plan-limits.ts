import type { planIds } from "../config.ts";

type PlanId = (typeof planIds)[number];

/** The limits of each plan; `null` means unlimited. */
const limits: Record<PlanId, { toolsPerAgent: number | null; documentsPerAgent: number | null }> = {
  free: { toolsPerAgent: 3, documentsPerAgent: 20 },
  starter: { toolsPerAgent: 10, documentsPerAgent: 200 },
  growth: { toolsPerAgent: 50, documentsPerAgent: 2_000 },
  pro: { toolsPerAgent: null, documentsPerAgent: null },
};

/** The tokens per month that a plan may use with the operator's provider keys; 0 means unlimited. */
export function tokensPerMonth(plan: string, perPlan: Record<PlanId, number>): number {
  return perPlan[plan as PlanId] ?? perPlan.free;
}

/** The calls per minute with API keys that a plan allows an organization; 0 means unlimited. */
export function callsPerMinute(plan: string, perPlan: Record<PlanId, number>): number {
  return perPlan[plan as PlanId] ?? perPlan.free;
}

/** The limits of a plan; a plan that this version does not know is treated as the smallest. */
export function readLimits(plan: string) {
  return limits[plan as PlanId] ?? limits.free;
}
