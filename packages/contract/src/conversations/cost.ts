import Type from "typebox";

/** What several replies cost. */
export const costSums = {
  cost: Type.Number({
    description: "What the replies cost, in the organization's currency, without `unknownCostReplies`",
  }),
  unknownCostReplies: Type.Integer({
    description: "Replies whose cost is not part of `cost`, because a price is unknown",
  }),
};
