import { expect, it } from "vitest";
import { describeCosts, formatCost, formatSum } from "./cost-text.ts";

it.each([
  [0, "USD", "$0.00"],
  [12.345, "USD", "$12.35"],
  [0.5, "USD", "$0.50"],
  [0.00416, "USD", "$0.0042"],
  [0.25, "JPY", "¥0.25"],
  [1_234, "JPY", "¥1,234"],
])("formats %f %s without showing a small cost as 0", (cost, currency, text) => {
  expect(formatCost(cost, currency)).toBe(text);
});

it.each([
  [{ cost: 1.2, unknownCostReplies: 0 }, ["$1.20", ""]],
  [{ cost: 0, unknownCostReplies: 0 }, ["$0.00", ""]],
  [{ cost: 1.2, unknownCostReplies: 3 }, ["$1.20", "without 3 replies of unknown cost"]],
  [{ cost: 0, unknownCostReplies: 1 }, ["Unknown", "for 1 reply"]],
])("describes the costs %j as %j, and unknown ones never as 0", (sum, texts) => {
  expect(describeCosts(sum, "USD")).toEqual(texts);
});

it.each([
  [0, null, "Unknown"],
  [0, 0, "$0.00"],
  [1.2, null, "$1.20"],
])("shows a sum of %f with the estimate %s as %s", (cost, estimate, text) => {
  expect(formatSum(cost, { cost: estimate, currency: "USD" })).toBe(text);
});
