import { sql } from "kysely";
import type { Trx } from "../store.ts";

/**
 * Plans the embedding of agents with their organization's model.
 * @param organizationId continues with all its agents at once; null plans only what no agent of any organization has yet
 */
export async function planEmbedding(executor: Pick<Trx, "insertInto">, organizationId: string | null): Promise<void> {
  const zero = sql<number>`cast(0 as bigint)`;
  await executor
    .insertInto("agentEmbeddings")
    .columns(["agentId", "model", "organizationId", "nextNumber", "endNumber", "dueAt"])
    .expression((from) =>
      from
        .selectFrom("embeddingSettings as s")
        .innerJoin("agentIndexes as i", "i.organizationId", "s.organizationId")
        .select(["i.agentId", "s.model", "i.organizationId", zero.as("first")])
        .select(["i.nextNumber as end", zero.as("dueAt")])
        // Also without an organization a condition is needed: SQLite would take the conflict clause for the join's.
        .where("s.model", "<>", "")
        .$if(organizationId !== null, (query) => query.where("s.organizationId", "=", organizationId ?? "")),
    )
    .onConflict((conflict) =>
      organizationId === null
        ? conflict.doNothing()
        : conflict
            .columns(["agentId", "model"])
            .doUpdateSet({ endNumber: (row) => row.ref("excluded.endNumber"), dueAt: 0, attempts: 0 }),
    )
    .execute();
}
