import { sql } from "kysely";
import type { Trx } from "../store.ts";

/**
 * Plans the embedding of agents with their organization's model.
 * @param organizationId plans all agents of the organization, also those that have a plan, and makes them due; null
 * plans only agents of any organization that have no plan
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
        // Keep a condition even without an organization. Otherwise SQLite parses "on conflict" as the join's condition.
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
