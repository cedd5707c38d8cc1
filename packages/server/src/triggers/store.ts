import { sql, type Transaction } from "kysely";
import type { Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { Tables, TriggerRow } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";

export type TriggerStore = ReturnType<typeof createTriggerStore>;

export function createTriggerStore(db: Db) {
  const owned = (organizationId: string) => db.selectFrom("triggers").where("organizationId", "=", organizationId);
  return {
    /** In the order in which they run. */
    async list(organizationId: string, agentId: string): Promise<TriggerRow[]> {
      const triggers = owned(organizationId).selectAll().where("agentId", "=", agentId);
      return triggers.orderBy("priority").orderBy("id").execute();
    },
    /** What an agent's pages get, in the order in which they run; without those whose form is gone. */
    async enabled(agentId: string): Promise<TriggerRow[]> {
      return db
        .selectFrom("triggers")
        .selectAll()
        .where("agentId", "=", agentId)
        .where("isEnabled", "=", 1)
        .where((where) => where.or([where("actionType", "!=", "show_form"), where("toolId", "is not", null)]))
        .orderBy("priority")
        .orderBy("id")
        .execute();
    },
    enabledBubble: (agentId: string, id: string) => enabledBubble(db, agentId, id),
    /** All triggers of an agent whose owner is known to be the caller's organization. */
    async listAll(trx: Transaction<Tables>, agentId: string): Promise<TriggerRow[]> {
      return trx.selectFrom("triggers").selectAll().where("agentId", "=", agentId).orderBy("id").execute();
    },
    async insertCopy(trx: Transaction<Tables>, row: TriggerRow): Promise<void> {
      await trx.insertInto("triggers").values(row).execute();
    },
    async get(organizationId: string, id: string): Promise<TriggerRow | undefined> {
      return owned(organizationId).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /** Keeps the trigger, with `alsoInTransaction`, unless the agent has `limit` triggers already. @returns false then */
    async insert(
      row: TriggerRow,
      limit: number,
      alsoInTransaction?: (trx: Executor) => Promise<void>,
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        // A write to the agent's counters is the lock that lets only one insert count at a time.
        await trx
          .updateTable("agentCounters")
          .set({ conversations: sql`conversations` })
          .where("agentId", "=", row.agentId)
          .execute();
        const counted = await trx
          .selectFrom("triggers")
          .select((x) => x.fn.countAll<number>().as("n"))
          .where("agentId", "=", row.agentId)
          .executeTakeFirstOrThrow();
        if (Number(counted.n) >= limit) return false;
        await trx.insertInto("triggers").values(row).execute();
        await alsoInTransaction?.(trx);
        return true;
      });
    },
    /** Unless somebody changed it since it was read; `updatedAt` is different after every change. */
    async update(read: TriggerRow, changes: Partial<TriggerRow>): Promise<TriggerRow | undefined> {
      return db
        .updateTable("triggers")
        .set(changes)
        .where("id", "=", read.id)
        .where("organizationId", "=", read.organizationId)
        .where("updatedAt", "=", read.updatedAt)
        .returningAll()
        .executeTakeFirst();
    },
    /** @returns whose trigger it was */
    async delete(organizationId: string, id: string): Promise<Pick<TriggerRow, "agentId"> | undefined> {
      return inTransaction(db, (trx) =>
        trx
          .deleteFrom("triggers")
          .where("id", "=", id)
          .where("organizationId", "=", organizationId)
          .returning("agentId")
          .executeTakeFirst(),
      );
    },
  };
}

async function enabledBubble(
  db: Db,
  agentId: string,
  id: string,
): Promise<Pick<TriggerRow, "actionConfig"> | undefined> {
  return db
    .selectFrom("triggers")
    .select("actionConfig")
    .where("id", "=", id)
    .where("agentId", "=", agentId)
    .where("isEnabled", "=", 1)
    .where("actionType", "=", "show_bubble")
    .executeTakeFirst();
}
