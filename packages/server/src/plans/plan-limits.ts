import type { planIds } from "../config.ts";

type PlanId = (typeof planIds)[number];

/** What each plan allows; `null` means unlimited. */
const limits: Record<PlanId, { toolsPerAgent: number | null }> = {
  free: { toolsPerAgent: 3 },
  starter: { toolsPerAgent: 10 },
  growth: { toolsPerAgent: 50 },
  pro: { toolsPerAgent: null },
};

/** Tokens per month that a plan allows of the operator's provider keys; 0 for no cap. */
export function tokensPerMonth(plan: string, perPlan: Record<PlanId, number>): number {
  return perPlan[plan as PlanId] ?? perPlan.free;
}

/** How many calls with API keys a plan allows an account a minute; 0 for as many as it likes. */
export function callsPerMinute(plan: string, perPlan: Record<PlanId, number>): number {
  return perPlan[plan as PlanId] ?? perPlan.free;
}

/** The limits of a plan; a plan that this version does not know is treated as the smallest. */
export function limitsOf(plan: string) {
  return limits[plan as PlanId] ?? limits.free;
}
