import type { Logger } from "pino";
import { AppError } from "../../errors.ts";
import { failpoint } from "../../failpoints.ts";
import type { Models } from "../../models/choose-model.ts";
import type { Embedder } from "../../models/embedder.ts";
import { EmbeddingError } from "../../models/embedding-error.ts";
import type { TokenBudgets } from "../../plans/token-budget.ts";
import type { EmbeddablePassage, EmbeddingJob, EmbeddingQueue } from "./embedding-queue.ts";

/** The maximum number of passages per request. Parsing this many vectors takes 3 to 8 ms on the event loop. */
const MAX_PASSAGES = 16;
/**
 * The maximum number of characters per request. Some providers allow 16,000 tokens, and a Chinese character can be one
 * token.
 */
const MAX_CHARACTERS = 16_000;
const REQUEST_MS = 30_000;
/**
 * The maximum duration of one agent's turn. After it, other agents that are due are embedded first. Embedding a million
 * passages takes hours.
 */
const TURN_MS = 30_000;
const RETRIES_MS = [2_000, 10_000, 30_000, 120_000, 600_000];
/** HTTP statuses with which providers reject a text, for example because of its length or its content. */
const REFUSED = new Set([400, 413, 422]);

type Parts = {
  queue: EmbeddingQueue;
  models: Pick<Models, "embedder">;
  budgets: Pick<TokenBudgets, "refusal">;
  log: Pick<Logger, "warn">;
  /** Called when vectors of another model are no longer needed. */
  onReplaced(agentId: string): void;
  /** Delays before retries, shorter in tests. */
  retriesMs?: readonly number[];
  /** Duration of one agent's turn, shorter in tests. */
  turnMs?: number;
};

export type EmbedAgent = (job: EmbeddingJob, signal: AbortSignal) => Promise<void>;

/** Embeds an agent's passages, one request at a time, until none is left, the provider fails, or its turn ends. */
export function createEmbedAgent(parts: Parts): EmbedAgent {
  const { queue, log, retriesMs = RETRIES_MS, turnMs = TURN_MS } = parts;
  return async (claimed, signal) => {
    let job: EmbeddingJob | null = claimed;
    const endsAt = performance.now() + turnMs;
    try {
      while (job) {
        signal.throwIfAborted();
        if (performance.now() > endsAt) return await queue.release(job, 0);
        const passages = await queue.passages(job, MAX_PASSAGES);
        if (passages.length === 0) {
          if (await queue.finish(job)) parts.onReplaced(job.agentId);
          return;
        }
        job = await embedSome(parts, { job, passages, signal });
      }
    } catch (error) {
      const held = job ?? claimed;
      if (signal.aborted) return queue.release(held, 0);
      const isExpected = error instanceof EmbeddingError || error instanceof AppError;
      log.warn({ err: error, agentId: held.agentId, model: held.model }, "passages could not be embedded");
      const message = isExpected ? error.message : "The server failed. See its log for the cause.";
      await queue.fail(held, message, retriesMs[Math.min(held.attempts, retriesMs.length - 1)] ?? 0);
    }
  };
}

type Batch = { job: EmbeddingJob; passages: readonly EmbeddablePassage[]; signal: AbortSignal };

/** Embeds the first passages. @returns the updated job, or null when the lease was lost */
async function embedSome(parts: Parts, { job, passages, signal }: Batch): Promise<EmbeddingJob | null> {
  const { queue, models, budgets } = parts;
  const embedder = await models.embedder(job.organizationId, job.model);
  await checkBudget(budgets, job, embedder);
  // Send fewer passages after each failure, until a request with a single passage shows which one the provider rejects.
  const chosen = takeWithinBatch(passages.slice(0, MAX_PASSAGES >> Math.min(2 * job.attempts, 4)));
  try {
    const texts = chosen.map(({ text }) => text);
    const embedded = await embedder.embed({ texts, purpose: "document", timeoutMs: REQUEST_MS, signal });
    failpoint("embedding.answered");
    const stored = await queue.store(job, { passages: chosen, ...embedded, isOperatorPaid: embedder.isOperatorPaid });
    failpoint("embedding.stored");
    return stored;
  } catch (error) {
    const isRefused = error instanceof EmbeddingError && error.status !== null && REFUSED.has(error.status);
    // The model has embedded other passages, so the provider rejects this one. Skip it.
    if (!isRefused || chosen.length > 1 || job.vectors === 0) throw error;
    return queue.store(job, {
      passages: chosen,
      vectors: [null],
      tokens: 0,
      isOperatorPaid: embedder.isOperatorPaid,
    });
  }
}

/** Passages that are embedded with the operator's key count towards the plan's tokens. */
async function checkBudget(budgets: Parts["budgets"], job: EmbeddingJob, { isOperatorPaid }: Embedder) {
  if (!isOperatorPaid) return;
  const agent = { id: job.agentId, monthlyTokenBudget: null, monthlyCostBudget: null, budgetMessage: null };
  const owner = { visitor: null, address: null, organizationId: job.organizationId };
  if ((await budgets.refusal(agent, owner)) === null) return;
  throw new EmbeddingError("The plan's tokens of this month are used up. Embedding continues next month.", null);
}

function takeWithinBatch(passages: readonly EmbeddablePassage[]): EmbeddablePassage[] {
  let characters = 0;
  return passages.filter(({ text }, index) => {
    characters += text.length;
    return index === 0 || characters <= MAX_CHARACTERS;
  });
}
