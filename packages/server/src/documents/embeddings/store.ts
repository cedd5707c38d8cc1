import { type Expression, sql } from "kysely";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { MAX_SIGN_BYTES } from "../search/vector-memory.ts";
import type { Trx } from "../store.ts";
import { planEmbedding } from "./plan-embedding.ts";

/** The passages of one agent, or with `agentId: null` of the whole organization. */
export type EmbeddingScope = { organizationId: string; agentId: string | null };

/**
 * The maximum number of agents that are listed. Each of them has more than a million passages, so few organizations
 * have even one.
 */
const MAX_OVERSIZED = 100;

export type EmbeddingStore = ReturnType<typeof createEmbeddingStore>;

export function createEmbeddingStore({ db, reads }: Pick<Deps, "db" | "reads">) {
  const selectModelState = ({ organizationId, agentId }: EmbeddingScope, model: string) =>
    db
      .selectFrom("agentEmbeddings")
      .where("organizationId", "=", organizationId)
      .where("model", "=", model)
      .where("isRetired", "=", 0)
      .$if(agentId !== null, (query) => query.where("agentId", "=", agentId ?? ""));

  return {
    async settings(organizationId: string) {
      return db
        .selectFrom("embeddingSettings")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
    },
    async countPassages({ organizationId, agentId }: EmbeddingScope): Promise<number> {
      const query = db
        .selectFrom("indexedDocuments")
        .select(({ fn }) => sum(fn.sum("chunks")).as("passages"))
        .where("organizationId", "=", organizationId)
        .$if(agentId !== null, (filtered) => filtered.where("agentId", "=", agentId ?? ""))
        .where("agentId", "in", (from) =>
          from
            .selectFrom("agents")
            .select("id")
            .where("organizationId", "=", organizationId)
            .where("deletedAt", "is", null),
        );
      const [row] = await reads.run(query, { lane: "list", owner: organizationId });
      return Number(row?.passages ?? 0);
    },
    /** `waiting` is the number of agents whose passages are not all embedded yet. */
    async progress(scope: EmbeddingScope, model: string) {
      const query = selectModelState(scope, model).select(({ fn }) => [
        sum(fn.sum("vectors")).as("vectors"),
        sum(fn.sum("skipped")).as("skipped"),
        sum(fn.sum("tokens")).as("tokens"),
        sum(fn.count("dueAt")).as("waiting"),
      ]);
      const [row] = await reads.run(query, { lane: "list", owner: scope.organizationId });
      return {
        vectors: Number(row?.vectors ?? 0),
        skipped: Number(row?.skipped ?? 0),
        tokens: Number(row?.tokens ?? 0),
        waiting: Number(row?.waiting ?? 0),
      };
    },
    /**
     * Agents with more vectors than the memory of the search holds, oldest first. Uses the same calculation as the
     * vector memory: 4 bytes for each 32 dimensions and 8 for the passage's number.
     */
    async oversizedAgents(scope: EmbeddingScope, model: string): Promise<string[]> {
      const rows = await selectModelState(scope, model)
        .select("agentId")
        .where(sql<boolean>`vectors * (((dimensions + 31) / 32) * 4 + 8) > cast(${MAX_SIGN_BYTES} as bigint)`)
        .orderBy("agentId")
        .limit(MAX_OVERSIZED)
        .execute();
      return rows.map(({ agentId }) => agentId);
    },
    /** The newest failure that no later attempt has resolved. */
    async newestFailure(scope: EmbeddingScope, model: string) {
      return selectModelState(scope, model)
        .select(["error as message", "errorAt as at"])
        .where("error", "is not", null)
        .orderBy("errorAt", "desc")
        .limit(1)
        .$narrowType<{ message: string; at: number }>()
        .executeTakeFirst();
    },
    /**
     * Sets the organization's model and plans the embedding of all its agents; null turns search by meaning off.
     * @returns the agents with vectors that are no longer needed
     */
    choose: (organizationId: string, model: string | null): Promise<string[]> =>
      inTransaction(db, async (trx) => {
        await saveModel(trx, organizationId, model);
        const retired = await retireOthers(trx, organizationId, model);
        if (model !== null) await planEmbedding(trx, organizationId);
        return retired;
      }),
  };
}

const sum = (value: Expression<unknown>) => sql<number>`cast(coalesce(${value}, 0) as bigint)`;

async function saveModel(trx: Trx, organizationId: string, model: string | null): Promise<void> {
  if (model === null) {
    await trx.deleteFrom("embeddingSettings").where("organizationId", "=", organizationId).execute();
    return;
  }
  const values = { model, queryError: null, queryErrorAt: null, updatedAt: Date.now() };
  await trx
    .insertInto("embeddingSettings")
    .values({ organizationId, ...values })
    .onConflict((conflict) => conflict.column("organizationId").doUpdateSet(values))
    .execute();
}

/** Keeps complete vectors of the previous model until the new ones are complete, and retires all others. */
async function retireOthers(trx: Trx, organizationId: string, model: string | null): Promise<string[]> {
  const others = trx
    .updateTable("agentEmbeddings")
    .where("organizationId", "=", organizationId)
    .where("isRetired", "=", 0)
    .$if(model !== null, (query) => query.where("model", "<>", model ?? ""));
  await others.set({ dueAt: null, error: null, errorAt: null }).execute();
  const retired = await others
    .$if(model !== null, (query) => query.where("readyAt", "is", null))
    .set({ isRetired: 1 })
    .returning("agentId")
    .execute();
  return retired.map(({ agentId }) => agentId);
}
