import type { Deps } from "../../deps.ts";
import { calculateCost } from "../../models/prices/cost.ts";
import { type AnalyticsRange, modelSums, selectModels } from "./store.ts";

type PastCosts = { cost: number | null; currency: string; replies: number; unknownCostReplies: number };

/**
 * What the replies of a range have cost, or would have cost with another model: the same tokens at its price. Replies
 * whose tokens were not counted are left out.
 */
export async function estimateCosts(
  { db, reads, prices }: Pick<Deps, "db" | "reads" | "prices">,
  range: AnalyticsRange,
  model: string | null,
): Promise<PastCosts> {
  const { organizationId } = range;
  const { currency, find } = await prices.ofOrganization(organizationId);
  const options = { lane: "list", owner: organizationId } as const;
  const [used] = await reads.run(selectModels(db, range).select(modelSums), options);
  const replies = Number(used?.replies ?? 0);
  const unknown = Number(used?.unknownCostReplies ?? 0);
  if (model === null) return { cost: Number(used?.cost ?? 0), currency, replies, unknownCostReplies: unknown };
  const price = find(model);
  if (!price) return { cost: null, currency, replies, unknownCostReplies: replies };
  const cost = calculateCost(price, {
    provider: null,
    inputTokens: Number(used?.inputTokens ?? 0),
    cachedInputTokens: Number(used?.cachedInputTokens ?? 0),
    cacheWriteTokens: 0,
    outputTokens: Number(used?.outputTokens ?? 0),
  });
  return { cost, currency, replies, unknownCostReplies: 0 };
}
