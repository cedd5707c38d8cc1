import { expect, it } from "vitest";
import { formatCost } from "./cost-text.ts";

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
