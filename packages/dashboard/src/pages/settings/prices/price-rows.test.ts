import type { ModelPrice } from "@foyer/contract";
import { expect, it } from "vitest";
import { toPriceRows } from "./price-rows.ts";

const price = (model: string, source: ModelPrice["source"]): ModelPrice => ({
  model,
  input: 1,
  cachedInput: null,
  output: 2,
  currency: "USD",
  date: "2026-01-31",
  source,
});

it("lists used models without a price first, then other used models, own prices and shipped prices", () => {
  const prices = [price("a/shipped", "file"), price("b/own", "account"), price("c/used", "file")];
  const rows = toPriceRows(prices, ["c/used", "d/unknown"]);
  expect(rows.map(({ model, price, isUsed }) => [model, price?.source ?? null, isUsed])).toEqual([
    ["d/unknown", null, true],
    ["c/used", "file", true],
    ["b/own", "account", false],
    ["a/shipped", "file", false],
  ]);
});

it("finds the shipped price of a model's version, but no own price", () => {
  const prices = [price("a/shipped", "file"), price("b/own", "account")];
  const rows = toPriceRows(prices, ["a/shipped-2025-04-14", "b/own-2025-04-14"]);
  expect(rows.filter(({ isUsed }) => isUsed).map(({ model, price }) => [model, price?.model ?? null])).toEqual([
    ["b/own-2025-04-14", null],
    ["a/shipped-2025-04-14", "a/shipped"],
  ]);
});
