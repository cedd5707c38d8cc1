import type { Transaction } from "kysely";
import { compileOnce } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import { withStatementTimeout } from "../db/statement-timeout.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";

/** Millions of events take more than a few seconds, and go in one go or not at all. */
const DELETE_MS = 600_000;

export type AgentStore = ReturnType<typeof createAgentStore>;
export type AgentSummaryRow = Pick<AgentRow, "id" | "name" | "slug" | "model" | "createdAt">;

export function createAgentStore(db: Db) {
  const list = compileOnce<{ organizationId: string }, AgentSummaryRow>((param) =>
    db
      .selectFrom("agents")
      .select(["id", "name", "slug", "model", "createdAt"])
      .where("organizationId", "=", param("organizationId"))
      .orderBy("id"),
  );
  const byId = compileOnce<{ id: string }, AgentRow>((param) =>
    db.selectFrom("agents").selectAll().where("id", "=", param("id")),
  );
  return {
    async list(organizationId: string): Promise<AgentSummaryRow[]> {
      return (await list(db, { organizationId })).rows;
    },
    async get(organizationId: string, id: string): Promise<AgentRow | undefined> {
      const row = (await byId(db, { id })).rows[0];
      return row?.organizationId === organizationId ? row : undefined;
    },
    /** For visitors, who know only the agent's id. */
    async getPublic(id: string): Promise<AgentRow | undefined> {
      return (await byId(db, { id })).rows[0];
    },
    /** The organization's slugs that equal this one or extend it with a number. */
    async slugsLike(organizationId: string, slug: string, exceptId: string | null): Promise<Set<string>> {
      const rows = await db
        .selectFrom("agents")
        .select("slug")
        .where("organizationId", "=", organizationId)
        .where((where) => where.or([where("slug", "=", slug), where("slug", "like", `${slug}-%`)]))
        .$if(exceptId !== null, (query) => query.where("id", "!=", exceptId))
        .execute();
      return new Set(rows.map((row) => row.slug));
    },
    /** `alsoInTransaction` runs in the transaction that inserts the agent. */
    async insert(row: AgentRow, alsoInTransaction?: (trx: Transaction<Tables>) => Promise<void>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await trx.insertInto("agents").values(row).execute();
        await trx.insertInto("agentCounters").values({ agentId: row.id, conversations: 0 }).execute();
        await alsoInTransaction?.(trx);
      });
    },
    async update(organizationId: string, id: string, changes: Partial<AgentRow>): Promise<AgentRow | undefined> {
      return db
        .updateTable("agents")
        .set(changes)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .returningAll()
        .executeTakeFirst();
    },
    /** What belongs to the agent goes with it, by the tables' own references. */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const remove = () =>
        inTransaction(db, async (trx) => {
          const agent = trx.deleteFrom("agents").where("id", "=", id).where("organizationId", "=", organizationId);
          return (await agent.executeTakeFirst()).numDeletedRows > 0n;
        });
      return withStatementTimeout(DELETE_MS, remove);
    },
  };
}
