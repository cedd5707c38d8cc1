import { readFileSync } from "node:fs";
import { withoutModelVersion } from "@foyer/contract/rules/model-version";
import type { Price } from "./cost.ts";

type PriceFile = {
  date: string;
  currency: string;
  models: Record<string, [input: number, cachedInput: number | null, output: number]>;
};

const file: PriceFile = JSON.parse(readFileSync(new URL("./prices.json", import.meta.url), "utf8"));

/** The currency of the prices that Foyer ships with, and the day on which they were read. */
export const { currency: fileCurrency, date: fileDate } = file;

/** The prices that Foyer ships with, by model id. */
export const filePrices: ReadonlyMap<string, Price> = new Map(
  Object.entries(file.models).map(([model, [input, cachedInput, output]]) => [model, { input, cachedInput, output }]),
);

/** The shipped price of a model, or of the model without its version. */
export function findFilePrice(model: string): Price | undefined {
  return filePrices.get(model) ?? filePrices.get(withoutModelVersion(model));
}
