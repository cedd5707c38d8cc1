import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";

type AgentScope = { organizationId: string; agentId: string };

/**
 * Rows per statement. SQLite runs statements in this process, so writing a larger document yields to the event loop in
 * between.
 */
const ROWS_AT_ONCE = 100;

/**
 * Plans the embedding of new passages if the organization has chosen an embedding model. The numbers of a large
 * document may be lower than those of documents that were finished, and embedded, while it was being written.
 * @param numbers the number of the first passage, and the one after the last
 */
export async function queueEmbedding(
  trx: Transaction<Tables>,
  { organizationId, agentId }: AgentScope,
  { first, end }: { first: number; end: number },
): Promise<void> {
  const isLate = sql`cast(${first} as bigint) < "agentEmbeddings"."endNumber"`;
  await trx
    .insertInto("agentEmbeddings")
    .columns(["agentId", "model", "organizationId", "nextNumber", "endNumber", "dueAt"])
    .expression((from) =>
      from
        .selectFrom("embeddingSettings")
        .select([
          sql<string>`cast(${agentId} as text)`.as("agentId"),
          "model",
          "organizationId",
          sql<number>`cast(0 as bigint)`.as("nextNumber"),
          sql<number>`cast(${end} as bigint)`.as("endNumber"),
          sql<number>`cast(0 as bigint)`.as("dueAt"),
        ])
        .where("organizationId", "=", organizationId),
    )
    .onConflict((conflict) =>
      conflict.columns(["agentId", "model"]).doUpdateSet({
        nextNumber: sql`case when ${isLate} and ${first} < "agentEmbeddings"."nextNumber" then ${first}
          else "agentEmbeddings"."nextNumber" end`,
        endNumber: sql`case when ${isLate} then "agentEmbeddings"."endNumber" else excluded."endNumber" end`,
        dueAt: sql`case when ${isLate} then excluded."dueAt" else coalesce("agentEmbeddings"."dueAt", excluded."dueAt") end`,
        // A process that is embedding passages with higher numbers must not move past these passages, so it loses its
        // lease.
        fence: sql`case when ${isLate} then "agentEmbeddings".fence + 1 else "agentEmbeddings".fence end`,
      }),
    )
    .execute();
}

/** Deletes the vectors of documents, of every model. */
export async function removeVectors(
  trx: Transaction<Tables>,
  { organizationId, agentId, documentIds }: AgentScope & { documentIds: readonly string[] },
): Promise<void> {
  for (const model of await readModels(trx, { organizationId, agentId })) {
    let removed = 0;
    for (const documentId of documentIds) {
      const owner = { organizationId, agentId, model, documentId };
      removed += await removeRows(trx, owner);
      await trx
        .deleteFrom("vectorSigns")
        .where("documentId", "=", documentId)
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agentId)
        .where("model", "=", model)
        .execute();
    }
    if (removed > 0) await countRemoved(trx, { agentId, model }, removed);
  }
}

/**
 * Deletes some of a document's vectors. Use it for a document that is too large to be deleted in one transaction. The
 * document must already be hidden from searches.
 * @returns the number of deleted vectors; 0 when none is left
 */
export async function removeSomeVectors(trx: Transaction<Tables>, owner: VectorOwner): Promise<number> {
  const count = await removeSome(trx, owner);
  if (count > 0) await countRemoved(trx, owner, count);
  return count;
}

function countRemoved(trx: Transaction<Tables>, { agentId, model }: { agentId: string; model: string }, count: number) {
  return trx
    .updateTable("agentEmbeddings")
    .set((set) => ({ vectors: set("vectors", "-", count) }))
    .where("agentId", "=", agentId)
    .where("model", "=", model)
    .execute();
}

/** The models for which an agent has vectors. */
export async function readModels(db: Kysely<Tables>, { organizationId, agentId }: AgentScope): Promise<string[]> {
  const rows = await db
    .selectFrom("agentEmbeddings")
    .select("model")
    .where("agentId", "=", agentId)
    .where("organizationId", "=", organizationId)
    .execute();
  return rows.map(({ model }) => model);
}

type VectorOwner = AgentScope & { model: string; documentId: string };

async function removeRows(trx: Transaction<Tables>, owner: VectorOwner): Promise<number> {
  for (let removed = 0; ; await nextTurn()) {
    const count = await removeSome(trx, owner);
    removed += count;
    if (count < ROWS_AT_ONCE) return removed;
  }
}

async function removeSome(
  trx: Transaction<Tables>,
  { organizationId, agentId, model, documentId }: VectorOwner,
): Promise<number> {
  const some = trx
    .selectFrom("chunkVectors")
    .select("number")
    .where("documentId", "=", documentId)
    .where("organizationId", "=", organizationId)
    .where("agentId", "=", agentId)
    .where("model", "=", model)
    .limit(ROWS_AT_ONCE);
  const { numDeletedRows } = await trx
    .deleteFrom("chunkVectors")
    .where("agentId", "=", agentId)
    .where("organizationId", "=", organizationId)
    .where("model", "=", model)
    .where("number", "in", some)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
