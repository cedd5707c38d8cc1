import { sql } from "kysely";
import { compileOnce } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { ToolRow } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";

export function createToolStore(db: Db) {
  const enabled = compileOnce<{ agentId: string }, ToolRow>((param) =>
    db.selectFrom("tools").selectAll().where("agentId", "=", param("agentId")).where("isEnabled", "=", 1).orderBy("id"),
  );
  const owned = (organizationId: string) => db.selectFrom("tools").where("organizationId", "=", organizationId);
  return {
    /** What the agent may call, oldest first. */
    async enabled(agentId: string): Promise<ToolRow[]> {
      return (await enabled(db, { agentId })).rows;
    },
    /** The tool as it is now, when it is still enabled. */
    async enabledById(agentId: string, id: string): Promise<ToolRow | undefined> {
      const tool = db.selectFrom("tools").selectAll().where("id", "=", id).where("agentId", "=", agentId);
      return tool.where("isEnabled", "=", 1).executeTakeFirst();
    },
    async list(organizationId: string, agentId: string): Promise<ToolRow[]> {
      return owned(organizationId).selectAll().where("agentId", "=", agentId).orderBy("id").execute();
    },
    async get(organizationId: string, id: string): Promise<ToolRow | undefined> {
      return owned(organizationId).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /** Of one agent, or of the whole account. */
    async count(organizationId: string, agentId: string | null): Promise<number> {
      const tools = agentId === null ? owned(organizationId) : owned(organizationId).where("agentId", "=", agentId);
      return Number((await tools.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).n);
    },
    /** Keeps the tool unless the agent has `limit` tools already. @returns false then */
    async insert(row: ToolRow, limit: number | null): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        // A write to the agent's counters is the lock that lets only one insert count at a time.
        await trx
          .updateTable("agentCounters")
          .set({ conversations: sql`conversations` })
          .where("agentId", "=", row.agentId)
          .execute();
        const counted = await trx
          .selectFrom("tools")
          .select((x) => x.fn.countAll<number>().as("n"))
          .where("agentId", "=", row.agentId)
          .executeTakeFirstOrThrow();
        if (limit !== null && Number(counted.n) >= limit) return false;
        await trx.insertInto("tools").values(row).execute();
        return true;
      });
    },
    async update(organizationId: string, id: string, changes: Partial<ToolRow>): Promise<ToolRow | undefined> {
      return db
        .updateTable("tools")
        .set(changes)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .returningAll()
        .executeTakeFirst();
    },
    async delete(organizationId: string, id: string): Promise<boolean> {
      const result = await db
        .deleteFrom("tools")
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}
