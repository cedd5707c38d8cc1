import type { ModelPrice } from "@foyer/contract";
import { withoutModelVersion } from "@foyer/contract/rules/model-version";

/** A model in the list of prices. `price` is null if it is unknown. */
export type PriceRow = { model: string; price: ModelPrice | null; isUsed: boolean };

/** The models that are used, those without a price first, then the organization's own prices, then the others. */
export function toPriceRows(prices: readonly ModelPrice[], usedModels: Iterable<string>): PriceRow[] {
  const find = createPriceFinder(prices);
  const used = new Set(usedModels);
  const rows = [
    ...[...used].map((model) => ({ model, price: find(model), isUsed: true })),
    ...prices.filter(({ model }) => !used.has(model)).map((price) => ({ model: price.model, price, isUsed: false })),
  ];
  return rows.toSorted((a, b) => rank(a) - rank(b) || (a.model < b.model ? -1 : 1));
}

function rank({ price, isUsed }: PriceRow): number {
  if (isUsed) return price === null ? 0 : 1;
  return price?.source === "account" ? 2 : 3;
}

/** Shipped prices also apply to versions of their models. */
function createPriceFinder(prices: readonly ModelPrice[]): (model: string) => ModelPrice | null {
  const byModel = new Map(prices.map((price) => [price.model, price]));
  return (model) => {
    const exact = byModel.get(model);
    if (exact) return exact;
    const general = byModel.get(withoutModelVersion(model));
    return general?.source === "file" ? general : null;
  };
}
