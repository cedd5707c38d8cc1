import { pluralize } from "./plural.ts";

/** A cost such as `$12.35`. Costs below 1 have two significant digits, such as `$0.0042`, so that they do not become 0. */
export function formatCost(cost: number, currency: string): string {
  const digits = cost > 0 && cost < 1 ? { minimumSignificantDigits: 2, maximumSignificantDigits: 2 } : {};
  return new Intl.NumberFormat(undefined, { style: "currency", currency, ...digits }).format(cost);
}

type Estimate = { cost: number | null; currency: string };

/** Whether a sum is 0 because a model has no price, for which there is no estimate either. */
export const isUnknownSum = (cost: number, estimate: Estimate): boolean => cost === 0 && estimate.cost === null;

/** A sum of costs, or `Unknown`. */
export function formatSum(cost: number, estimate: Estimate): string {
  return isUnknownSum(cost, estimate) ? "Unknown" : formatCost(cost, estimate.currency);
}

/** What several replies cost. */
export type CostSum = { cost: number; unknownCostReplies: number };

/**
 * The sum of several costs, and how many replies it leaves out, such as `$1.20` and `without 3 replies of unknown cost`.
 * A sum of which no part is known is `Unknown`.
 */
export function describeCosts({ cost, unknownCostReplies }: CostSum, currency: string): [sum: string, note: string] {
  if (unknownCostReplies === 0) return [formatCost(cost, currency), ""];
  const replies = pluralize(unknownCostReplies, "reply", "replies");
  return cost === 0
    ? ["Unknown", `for ${replies}`]
    : [formatCost(cost, currency), `without ${replies} of unknown cost`];
}
