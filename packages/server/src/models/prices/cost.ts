/** A price per million tokens. Without `cachedInput`, cached tokens cost as much as others. */
export type Price = { input: number; cachedInput: number | null; output: number };

/** The tokens of a call. `cachedInputTokens` and `cacheWriteTokens` are parts of `inputTokens`. */
export type PricedTokens = {
  provider: string | null;
  inputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
};

const MILLION = 1_000_000;
/** Anthropic charges more for tokens that it writes into its cache. */
const CACHE_WRITE_FACTOR = 1.25;

/** What the tokens cost, in the currency of the price. */
export function calculateCost(price: Price, tokens: PricedTokens): number {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = tokens;
  const cached = cachedInputTokens * (price.cachedInput ?? price.input);
  const written = tokens.provider === "anthropic" ? cacheWriteTokens : 0;
  const plain = (inputTokens - cachedInputTokens - written) * price.input;
  const cost = plain + cached + written * price.input * CACHE_WRITE_FACTOR + outputTokens * price.output;
  return cost / MILLION;
}
