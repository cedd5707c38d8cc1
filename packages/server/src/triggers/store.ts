import type { Transaction } from "kysely";
import { hasDraft, inDraft } from "../db/draft-tables.ts";
import type { Db } from "../db/open.ts";
import type { TriggerRow } from "../db/tables/triggers.ts";
import type { Tables } from "../db/tables.ts";

export type TriggerStore = ReturnType<typeof createTriggerStore>;

export function createTriggerStore(db: Db) {
  const selectOwned = (organizationId: string) =>
    db.selectFrom("triggers").where("organizationId", "=", organizationId);
  return {
    /** Ordered as they run. */
    async list(organizationId: string, agentId: string): Promise<TriggerRow[]> {
      const triggers = selectOwned(organizationId).selectAll().where("agentId", "=", agentId);
      return triggers.orderBy("priority").orderBy("id").execute();
    },
    /** The triggers for visitors' pages, ordered as they run. Triggers whose form was deleted are left out. */
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
      return selectOwned(organizationId).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /**
     * Inserts the trigger, unless the agent already has `limit` triggers. The agent must be locked.
     * @returns false if the limit was reached
     */
    async insert(trx: Transaction<Tables>, row: TriggerRow, limit: number): Promise<boolean> {
      const counted = await trx
        .selectFrom("triggers")
        .select((x) => x.fn.countAll<number>().as("n"))
        .where("agentId", "=", row.agentId)
        .executeTakeFirstOrThrow();
      if (Number(counted.n) >= limit) return false;
      await trx.insertInto("triggers").values(row).execute();
      return true;
    },
    /** Updates the row unless it was changed since it was read; `updatedAt` differs after every change. */
    async update(
      trx: Transaction<Tables>,
      read: TriggerRow,
      changes: Partial<TriggerRow>,
    ): Promise<TriggerRow | undefined> {
      return trx
        .updateTable("triggers")
        .set(changes)
        .where("id", "=", read.id)
        .where("organizationId", "=", read.organizationId)
        .where("updatedAt", "=", read.updatedAt)
        .returningAll()
        .executeTakeFirst();
    },
    /** @returns whether there was such a trigger */
    async delete(trx: Transaction<Tables>, { organizationId, id }: Pick<TriggerRow, "organizationId" | "id">) {
      const { numDeletedRows } = await trx
        .deleteFrom("triggers")
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** The triggers as members edit them: those of the draft, if the agent has one. */
export function createEditedTriggers(db: Db) {
  const live = createTriggerStore(db);
  const draft = createTriggerStore(inDraft(db));
  const storeOf = async (agentId: string) => ((await hasDraft(db, agentId)) ? draft : live);
  return {
    async list(organizationId: string, agentId: string): Promise<TriggerRow[]> {
      return (await storeOf(agentId)).list(organizationId, agentId);
    },
    async get(organizationId: string, id: string): Promise<TriggerRow | undefined> {
      const row = (await draft.get(organizationId, id)) ?? (await live.get(organizationId, id));
      // A trigger that was deleted from the draft is still live.
      return row && (await storeOf(row.agentId)).get(organizationId, id);
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
