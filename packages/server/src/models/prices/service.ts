import type { ModelPrice } from "@foyer/contract";
import type { ModelPriceRow, ReplyStepRow } from "../../db/tables/models.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { calculateCost, type Price, type PricedTokens } from "./cost.ts";
import { fileCurrency, fileDate, filePrices, findFilePrice } from "./price-file.ts";
import { MAX_PRICES, type PriceStore } from "./price-store.ts";

/** The prices of an organization: its own, and those that Foyer ships with if they are in the same currency. */
export type PriceList = { currency: string; find(model: string): Price | undefined };

/** A step of a reply, with the tokens that were written into the provider's cache. They are part of `inputTokens`. */
export type UnpricedStep = Omit<ReplyStepRow, "messageId" | "position" | "cost"> & { cacheWriteTokens: number };
type PricedStep = UnpricedStep & { cost: number | null };
export type Prices = ReturnType<typeof createPrices>;

/** The prices of models, and what replies cost. */
export function createPrices(store: PriceStore) {
  return {
    async ofOrganization(organizationId: string): Promise<PriceList> {
      return toPriceList(await store.list(organizationId));
    },
    async list(organizationId: string): Promise<ModelPrice[]> {
      const own = await store.list(organizationId);
      const currency = own[0]?.currency ?? fileCurrency;
      const replaced = new Set(own.map(({ model }) => model));
      const shipped = currency === fileCurrency ? [...filePrices].filter(([model]) => !replaced.has(model)) : [];
      return [
        ...own.map(toModelPrice),
        ...shipped.map(([model, price]) => ({ model, ...price, currency, date: fileDate, source: "file" as const })),
      ].sort((a, b) => (a.model < b.model ? -1 : 1));
    },
    /** @throws 400 when the currency differs from that of the organization's other prices */
    async put(organizationId: string, model: string, price: Price & { currency: string }): Promise<ModelPrice> {
      if (!isCurrency(price.currency)) throw invalid("currency", "must be a code of ISO 4217, such as USD");
      const row = { organizationId, model, ...price, updatedAt: Date.now() };
      await store.put(row, (others) => {
        const currency = others[0]?.currency ?? price.currency;
        if (price.currency !== currency) {
          throw invalid("currency", `must be ${currency}, as for the organization's other prices`);
        }
        if (others.length >= MAX_PRICES) {
          throw new AppError("CONFLICT", `An organization can set ${MAX_PRICES} prices. Delete one first.`);
        }
      });
      return toModelPrice(row);
    },
    /** Returns to the price that Foyer ships with, if there is one. @throws 404 */
    async delete(organizationId: string, model: string): Promise<void> {
      if (!(await store.delete(organizationId, model))) throw notFound("Price");
    },
    /** The steps of a reply with what they cost, and the sum, which is null if a price is unknown. */
    async priceSteps(
      organizationId: string,
      steps: readonly UnpricedStep[],
    ): Promise<{ steps: PricedStep[]; cost: number | null }> {
      if (!steps.some(({ kind }) => kind === "model")) {
        return { steps: steps.map((step) => ({ ...step, cost: null })), cost: 0 };
      }
      const { find } = toPriceList(await store.list(organizationId));
      const priced = steps.map((step) => ({ ...step, cost: priceStep(step, find) }));
      const costs = priced.filter(({ kind }) => kind === "model").map(({ cost }) => cost);
      return {
        steps: priced,
        cost: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
      };
    },
  };
}

function toPriceList(own: readonly ModelPriceRow[]): PriceList {
  const currency = own[0]?.currency ?? fileCurrency;
  const prices = new Map<string, Price>(own.map((row) => [row.model, row]));
  return {
    currency,
    find: (model) => prices.get(model) ?? (currency === fileCurrency ? findFilePrice(model) : undefined),
  };
}

function priceStep(step: UnpricedStep, find: PriceList["find"]): number | null {
  if (step.kind === "tool") return null;
  // No model could be asked.
  if (step.model === null) return 0;
  // The built-in demo calls no provider.
  if (step.provider === "foyer") return 0;
  const price = find(step.model);
  const tokens = toPricedTokens(step);
  return price && tokens ? calculateCost(price, tokens) : null;
}

/** A step that failed before the provider counted anything has cost nothing. */
function toPricedTokens(step: UnpricedStep): PricedTokens | null {
  const { provider, cacheWriteTokens, status } = step;
  const { inputTokens, outputTokens, cachedInputTokens } = step;
  if (inputTokens === null && outputTokens === null && status !== "error") return null;
  return {
    provider,
    cacheWriteTokens,
    inputTokens: inputTokens ?? 0,
    cachedInputTokens: cachedInputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
  };
}

function toModelPrice({ model, input, cachedInput, output, currency, updatedAt }: ModelPriceRow): ModelPrice {
  return {
    model,
    input,
    cachedInput,
    output,
    currency,
    date: new Date(updatedAt).toISOString().slice(0, 10),
    source: "account",
  };
}

/** Three capital letters that this runtime knows as a currency. */
function isCurrency(code: string): boolean {
  return Intl.supportedValuesOf("currency").includes(code);
}
