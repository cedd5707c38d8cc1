import type { Logger } from "pino";
import { compileOnce } from "../../db/compiled-query.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { EmbeddingError } from "../../models/embedding-error.ts";
import type { TokenBudgets, TokenUsage } from "../../plans/token-budget.ts";

/** The time limit for embedding a question, in milliseconds. After it, the search uses words alone. */
const MAX_WAIT_MS = 800;
/**
 * After this many consecutive failures, questions are not sent to the provider for a while, so that searches do not
 * wait in vain.
 */
const FAILURES_IN_A_ROW = 3;
const PAUSE_MS = 30_000;
const MAX_PAUSES = 1_000;
const COUNT_EVERY_MS = 5_000;

export type QueryVectors = { model: string; vectors: Float32Array[] };

type Question = { organizationId: string; agentId: string; queries: readonly string[] };
type QueryError = { queryError: string | null; queryErrorAt: number | null };
type UsableModel = { model: string; dimensions: number; hasError: number };
type Parts = Pick<Deps, "db" | "models"> & { budgets: Pick<TokenBudgets, "count">; log: Pick<Logger, "warn"> };

/** Embeds visitors' questions within a time limit that visitors hardly notice. */
export function createQueryEmbedder({ db, models, budgets, log }: Parts) {
  const failures = new Map<string, { count: number; at: number }>();
  const usages: TokenUsage[] = [];
  const counting = setInterval(() => void countUsages(), COUNT_EVERY_MS).unref();

  const usable = findUsableModel(db);

  async function countUsages(): Promise<void> {
    const counted = usages.splice(0);
    if (counted.length === 0) return;
    await budgets
      .count(db, counted)
      .catch((error: unknown) => log.warn({ err: error }, "could not count the tokens of embedded questions"));
  }

  function isPaused(organizationId: string): boolean {
    const failed = failures.get(organizationId);
    return failed !== undefined && failed.count >= FAILURES_IN_A_ROW && performance.now() - failed.at < PAUSE_MS;
  }

  /** Records the failure for the owner, who could not otherwise distinguish the search from one by words. */
  async function recordFailure(organizationId: string, message: string): Promise<void> {
    const count = (failures.get(organizationId)?.count ?? 0) + 1;
    failures.delete(organizationId);
    failures.set(organizationId, { count, at: performance.now() });
    const [oldest] = failures.keys();
    if (failures.size > MAX_PAUSES && oldest !== undefined) failures.delete(oldest);
    await storeError(organizationId, { queryError: message, queryErrorAt: Date.now() });
  }

  async function recordSuccess(organizationId: string, hadError: boolean): Promise<void> {
    failures.delete(organizationId);
    if (hadError) await storeError(organizationId, { queryError: null, queryErrorAt: null });
  }

  /** Never fails, because the search can continue without the vectors. */
  async function storeError(organizationId: string, error: QueryError): Promise<void> {
    await db
      .updateTable("embeddingSettings")
      .set(error)
      .where("organizationId", "=", organizationId)
      .execute()
      .catch((failure: unknown) =>
        log.warn({ err: failure, organizationId }, "could not record whether questions can be embedded"),
      );
  }

  return {
    /** @returns null when the agent has no vectors to compare with, or the provider fails or is too slow */
    async embed({ organizationId, agentId, queries }: Question): Promise<QueryVectors | null> {
      const { rows } = await usable(db, { organizationId, agentId });
      const [row] = rows;
      if (!row || isPaused(organizationId)) return null;
      const { model, dimensions, hasError } = row;
      try {
        const embedder = await models.embedder(organizationId, model);
        const request = { texts: queries, purpose: "query", timeoutMs: MAX_WAIT_MS } as const;
        const { vectors, tokens } = await embedder.embed(request);
        const owner = { visitor: null, address: null, organizationId: embedder.isOperatorPaid ? organizationId : null };
        usages.push({ agentId, tokens, cost: 0, ...owner });
        const received = vectors[0]?.length ?? 0;
        if (received !== dimensions) {
          const message = `The question's vector has ${received} dimensions, but the passages' vectors have ${dimensions}.`;
          throw new EmbeddingError(message, null);
        }
        await recordSuccess(organizationId, hasError === 1);
        return { model, vectors: vectors.map((vector) => Float32Array.from(vector)) };
      } catch (error) {
        if (!(error instanceof EmbeddingError) && !(error instanceof AppError)) throw error;
        log.warn({ err: error, agentId, model }, "a question was searched by words alone");
        await recordFailure(organizationId, error.message);
        return null;
      }
    },
    async stop(): Promise<void> {
      clearInterval(counting);
      await countUsages();
    },
  };
}

/**
 * Selects the model whose vectors a search uses. After a change of the model, the previous vectors remain in use until
 * the new ones are complete. Every search runs this query, so it is compiled once.
 */
function findUsableModel(db: Deps["db"]) {
  return compileOnce<Omit<Question, "queries">, UsableModel>((param) =>
    db
      .selectFrom("agentEmbeddings as e")
      .innerJoin("embeddingSettings as s", "s.organizationId", "e.organizationId")
      .select(["e.model", "e.dimensions"])
      .select((row) => row.case().when("s.queryErrorAt", "is", null).then(0).else(1).end().as("hasError"))
      .where("e.agentId", "=", param("agentId"))
      .where("e.organizationId", "=", param("organizationId"))
      .where("e.isRetired", "=", 0)
      .where("e.readyAt", "is not", null)
      .where("e.dimensions", "is not", null)
      .where("e.vectors", ">", 0)
      .orderBy((row) => row.case().whenRef("e.model", "=", "s.model").then(0).else(1).end())
      .orderBy("e.readyAt", "desc")
      .limit(1)
      .$narrowType<{ dimensions: number }>(),
  );
}
