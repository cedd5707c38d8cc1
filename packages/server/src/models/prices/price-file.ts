import { readFileSync } from "node:fs";
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

/**
 * The shipped price of a model. A name with a date or version at its end, such as `gpt-4.1-2025-04-14`, costs as much as
 * the name without it.
 */
export function findFilePrice(model: string): Price | undefined {
  return filePrices.get(model) ?? filePrices.get(model.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|\d{3})$/, ""));
}
