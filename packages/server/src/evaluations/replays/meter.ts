import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { readUsage } from "../../chat/loop/trace.ts";
import type { ModelChain } from "../../models/model-chain.ts";
import { calculateCost, type Price } from "../../models/prices/cost.ts";
import { replaceFiles } from "../../models/prompt-files.ts";
import { providerOf } from "../../models/provider-of.ts";
import { limitFileTokens } from "./file-tokens.ts";

/** How much more tokens than the recorded prompt of the turn a prompt may have for its bytes. */
const MARGIN = 1.25;
/** The tokens that a provider adds for its own format. */
const FORMAT_TOKENS = 200;
/** The most tokens per byte while no prompt of the model has been counted. Text has about 0.25. */
const UNKNOWN_TOKENS_PER_BYTE = 0.5;

/** The next call could cost more than is left. */
export class CostLimitError extends Error {
  constructor() {
    super("The replay would cost more than maxCost allows.");
  }
}

export type Meter = ReturnType<typeof createMeter>;

type MeterOptions = {
  maxCost: number | null;
  /** what has been spent so far */
  spent: number;
  /** Stores what the calls cost. `pending` is the most that those can cost that have begun. */
  record(change: { cost: number; pending: number }): Promise<void>;
};

type Limits = {
  /** null if it is unknown, which is possible only without `maxCost` */
  price: Price | null;
  maxOutputTokens: number;
  /** null if no recorded prompt of this model was counted */
  tokensPerByte: number | null;
  /** called when a call is not made */
  onExhausted(): void;
};

/** Counts what calls of models cost, and makes none that could exceed the limit. */
export function createMeter({ maxCost, spent, record }: MeterOptions) {
  let cost = spent;
  let running = 0;
  let pending = 0;
  let isExhausted = false;
  let settled = Promise.withResolvers<void>();

  async function reserve(bound: number): Promise<void> {
    while (maxCost !== null && cost + pending + bound > maxCost) {
      if (isExhausted || running === 0) {
        isExhausted = true;
        throw new CostLimitError();
      }
      // The calls that run now may cost less than they could.
      await settled.promise;
    }
    // Count the call before anything else runs, so that two calls cannot both use what is left.
    running++;
    pending += bound;
    try {
      await record({ cost: 0, pending: bound });
    } catch (error) {
      release(bound);
      throw error;
    }
  }

  function release(bound: number): void {
    running--;
    pending -= bound;
    settled.resolve();
    settled = Promise.withResolvers();
  }

  async function settle(bound: number, actual: number): Promise<void> {
    cost += actual;
    release(bound);
    await record({ cost: actual, pending: -bound });
  }

  return {
    get isExhausted() {
      return isExhausted;
    },
    /** The same models, whose calls are counted and limited. */
    limit(models: ModelChain, { price, maxOutputTokens, tokensPerByte, onExhausted }: Limits): ModelChain {
      const provider = providerOf(models.modelId);
      const toCost = (tokens: Omit<Parameters<typeof calculateCost>[1], "provider">) =>
        price === null ? 0 : calculateCost(price, { provider, ...tokens });
      return {
        get model() {
          return models.model;
        },
        get modelId() {
          return models.modelId;
        },
        get fallbackFrom() {
          return models.fallbackFrom;
        },
        changeovers: models.changeovers,
        async ask(request, options, sink) {
          const { prompt, tools = [] } = request;
          const bytes = Buffer.byteLength(JSON.stringify([replaceFiles(prompt), tools]));
          const most = tokensPerByte === null ? UNKNOWN_TOKENS_PER_BYTE : tokensPerByte * MARGIN;
          const outputTokens = Math.min(request.maxOutputTokens ?? maxOutputTokens, maxOutputTokens);
          const plain = { cachedInputTokens: 0, cacheWriteTokens: 0 };
          // A count of the recorded prompt includes its pictures and files, which are not in the bytes.
          const text = tokensPerByte === null ? Math.min(bytes, Math.ceil(bytes * most)) : Math.ceil(bytes * most);
          const inputTokens = text + FORMAT_TOKENS + (tokensPerByte === null ? limitFileTokens(prompt) : 0);
          const bound = toCost({ ...plain, inputTokens, cacheWriteTokens: inputTokens, outputTokens });
          try {
            await reserve(bound);
          } catch (error) {
            onExhausted();
            throw error;
          }
          let usage: LanguageModelV4Usage | null = null;
          let received = 0;
          try {
            const limited = { ...request, maxOutputTokens: outputTokens };
            await models.ask(limited, options, {
              ...sink,
              part(part) {
                if (part.type === "finish") usage = part.usage;
                if ("delta" in part) received += part.delta.length;
                sink.part(part);
              },
            });
          } finally {
            // Without a count, as after an abort, the prompt and what has arrived are estimated.
            const estimated = { ...plain, inputTokens: Math.ceil(bytes / 4), outputTokens: Math.ceil(received / 4) };
            const isCharged = received > 0 || options.signal.aborted;
            const actual = usage === null ? (isCharged ? toCost(estimated) : 0) : toCost(toTokens(usage));
            await settle(bound, actual);
          }
        },
      };
    },
  };
}

function toTokens(usage: LanguageModelV4Usage) {
  return { ...readUsage(usage), cacheWriteTokens: usage.inputTokens.cacheWrite ?? 0 };
}
