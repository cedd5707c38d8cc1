import type { Logger } from "pino";
import { AppError } from "../../errors.ts";
import { failpoint } from "../../failpoints.ts";
import type { Models } from "../../models/choose-model.ts";
import type { Embedder } from "../../models/embedder.ts";
import { EmbeddingError } from "../../models/embedding-error.ts";
import type { TokenBudgets } from "../../plans/token-budget.ts";
import type { EmbeddablePassage, EmbeddingJob, EmbeddingQueue } from "./embedding-queue.ts";

/** Parsing so many vectors takes the event loop 3 to 8 ms. */
const MAX_PASSAGES = 16;
/** Some providers allow 16,000 tokens a request, and a Chinese character can be one. */
const MAX_CHARACTERS = 16_000;
const REQUEST_MS = 30_000;
/** After this time the agent waits behind others that are due. A million passages take hours. */
const TURN_MS = 30_000;
const RETRIES_MS = [2_000, 10_000, 30_000, 120_000, 600_000];
/** HTTP statuses with which providers refuse a text, for example because it is too long or its content is not allowed. */
const REFUSED = new Set([400, 413, 422]);

type Parts = {
  queue: EmbeddingQueue;
  models: Pick<Models, "embedder">;
  budgets: Pick<TokenBudgets, "refusal">;
  log: Pick<Logger, "warn">;
  /** Called when vectors of another model are no longer needed. */
  onReplaced(agentId: string): void;
  /** Waits before retries, shorter in tests. */
  retriesMs?: readonly number[];
  /** How long an agent is embedded in one go, shorter in tests. */
  turnMs?: number;
};

export type EmbedAgent = (job: EmbeddingJob, signal: AbortSignal) => Promise<void>;

/** Embeds an agent's passages, one request at a time, until none is left, the provider fails, or it is others' turn. */
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
      const message = isExpected ? error.message : "The server failed. Its log has the cause.";
      await queue.fail(held, message, retriesMs[Math.min(held.attempts, retriesMs.length - 1)] ?? 0);
    }
  };
}

type Batch = { job: EmbeddingJob; passages: readonly EmbeddablePassage[]; signal: AbortSignal };

/** Embeds the first of the passages. @returns the job as it is now, or null when the lease was lost */
async function embedSome(parts: Parts, { job, passages, signal }: Batch): Promise<EmbeddingJob | null> {
  const { queue, models, budgets } = parts;
  const embedder = await models.embedder(job.organizationId, job.model);
  await checkBudget(budgets, job, embedder);
  // After a failure fewer are sent, so that in the end a single passage shows which one is refused.
  const chosen = withinBound(passages.slice(0, MAX_PASSAGES >> Math.min(2 * job.attempts, 4)));
  try {
    const texts = chosen.map(({ text }) => text);
    const embedded = await embedder.embed({ texts, purpose: "document", timeoutMs: REQUEST_MS, signal });
    failpoint("embedding.answered");
    const stored = await queue.store(job, { passages: chosen, ...embedded, isOperatorPaid: embedder.isOperatorPaid });
    failpoint("embedding.stored");
    return stored;
  } catch (error) {
    const isRefused = error instanceof EmbeddingError && error.status !== null && REFUSED.has(error.status);
    // The model works, so it is the passage that is refused.
    if (!isRefused || chosen.length > 1 || job.vectors === 0) throw error;
    return queue.store(job, {
      passages: chosen,
      vectors: [null],
      tokens: 0,
      isOperatorPaid: embedder.isOperatorPaid,
    });
  }
}

/** Passages that the operator pays for count towards the plan's tokens. */
async function checkBudget(budgets: Parts["budgets"], job: EmbeddingJob, { isOperatorPaid }: Embedder) {
  if (!isOperatorPaid) return;
  const agent = { id: job.agentId, monthlyTokenBudget: null, budgetMessage: null };
  const owner = { visitor: null, address: null, organizationId: job.organizationId };
  if ((await budgets.refusal(agent, owner)) === null) return;
  throw new EmbeddingError("The plan's tokens of this month are used up. Embedding continues next month.", null);
}

function withinBound(passages: readonly EmbeddablePassage[]): EmbeddablePassage[] {
  let characters = 0;
  return passages.filter(({ text }, index) => {
    characters += text.length;
    return index === 0 || characters <= MAX_CHARACTERS;
  });
}
