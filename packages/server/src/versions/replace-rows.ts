import type { Transaction } from "kysely";
import { inDraft } from "../db/draft-tables.ts";
import type { Tables } from "../db/tables.ts";

type Sides = { from: Transaction<Tables>; to: Transaction<Tables> };

/**
 * Gives one side the agent's tools and triggers of the other side, under the same ids. One of the sides is the draft,
 * see `inDraft`. Rows that both sides have are changed in place, because errors, secrets and statistics refer to them.
 */
export async function replaceRows({ from, to }: Sides, agentId: string): Promise<void> {
  const tools = await from.selectFrom("tools").selectAll().where("agentId", "=", agentId).execute();
  const triggers = await from.selectFrom("triggers").selectAll().where("agentId", "=", agentId).execute();
  const names = new Map(tools.map(({ id, name }) => [id, name]));
  const kept = new Set(triggers.map(({ id }) => id));
  for (const { id } of await to.selectFrom("triggers").select("id").where("agentId", "=", agentId).execute()) {
    if (!kept.has(id)) await to.deleteFrom("triggers").where("id", "=", id).execute();
  }
  for (const { id, name } of await to
    .selectFrom("tools")
    .select(["id", "name"])
    .where("agentId", "=", agentId)
    .execute()) {
    if (!names.has(id)) await to.deleteFrom("tools").where("id", "=", id).execute();
    // Two tools may exchange their names, which must be unique at every moment.
    else if (names.get(id) !== name) await to.updateTable("tools").set({ name: id }).where("id", "=", id).execute();
  }
  for (const tool of tools) {
    await to
      .insertInto("tools")
      .values(tool)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(tool))
      .execute();
  }
  for (const trigger of triggers) {
    await to
      .insertInto("triggers")
      .values(trigger)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(trigger))
      .execute();
  }
}

export async function deleteDraftRows(trx: Transaction<Tables>, agentId: string): Promise<void> {
  await inDraft(trx).deleteFrom("triggers").where("agentId", "=", agentId).execute();
  await inDraft(trx).deleteFrom("tools").where("agentId", "=", agentId).execute();
}
