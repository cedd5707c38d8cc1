import type { planIds } from "../config.ts";

type PlanId = (typeof planIds)[number];

type PlanLimits = {
  agents: number | null;
  toolsPerAgent: number | null;
  documentsPerAgent: number | null;
  /** bytes of the originals of all documents, and of those that are added on one UTC day */
  documentBytes: number | null;
  documentBytesPerDay: number | null;
};

const MB = 1_000_000;

/** The limits of each plan; `null` means unlimited. */
const limits: Record<PlanId, PlanLimits> = {
  free: {
    agents: 10,
    toolsPerAgent: 3,
    documentsPerAgent: 20,
    documentBytes: 500 * MB,
    documentBytesPerDay: 200 * MB,
  },
  starter: {
    agents: 50,
    toolsPerAgent: 10,
    documentsPerAgent: 200,
    documentBytes: 5_000 * MB,
    documentBytesPerDay: 1_000 * MB,
  },
  growth: {
    agents: 200,
    toolsPerAgent: 50,
    documentsPerAgent: 2_000,
    documentBytes: 50_000 * MB,
    documentBytesPerDay: 10_000 * MB,
  },
  pro: {
    agents: null,
    toolsPerAgent: null,
    documentsPerAgent: null,
    documentBytes: null,
    documentBytesPerDay: null,
  },
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
