import type { Trashed } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Drafts, Editor } from "../agents/editor.ts";
import type { TriggerRow } from "../db/tables/triggers.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { deletionTime, findInTrash, putIntoTrash, takeFromTrash } from "../trash/entries.ts";
import { insertTrigger, type TriggerService } from "./service.ts";
import { createTriggerStore } from "./store.ts";

type Parts = {
  triggers: Pick<TriggerService, "get" | "delete">;
  drafts: Pick<Drafts, "edit">;
  /** called with the agent whose triggers changed */
  onChange(agentId: string): void;
};

type TriggerId = Pick<TriggerRow, "organizationId" | "id">;
/** The trigger with its counters, which are deleted with its row. */
type Kept = { trigger: TriggerRow; days: Tables["triggerDays"][] };

export type TriggerTrash = ReturnType<typeof createTriggerTrash>;

/** Moves triggers to the trash and restores them. A trigger in the trash consists of its entry there. */
export function createTriggerTrash({ db, config }: Pick<Deps, "db" | "config">, { triggers, drafts, onChange }: Parts) {
  const store = createTriggerStore(db);
  return {
    /** @throws 404 */
    async trash({ organizationId, id }: TriggerId, editor: Editor): Promise<Trashed> {
      const { agentId } = await triggers.get(organizationId, id);
      if (config.trashDays === 0) {
        await triggers.delete(organizationId, id, editor);
        return { deletesAt: null };
      }
      const trashedAt = Date.now();
      await drafts.edit({ organizationId, agentId, editor }, async (trx, live) => {
        const trigger = await findRow(trx, { organizationId, id });
        const days = await live.selectFrom("triggerDays").selectAll().where("triggerId", "=", id).execute();
        if (!trigger || !(await store.delete(trx, trigger))) throw notFound("Trigger");
        const by = { trashedBy: editor.by.name, trashedAt };
        const content = JSON.stringify({ trigger, days } satisfies Kept);
        await putIntoTrash(live, [
          { id, organizationId, agentId, kind: "trigger", name: trigger.name, content, ...by },
        ]);
      });
      onChange(agentId);
      return { deletesAt: deletionTime(config, trashedAt) };
    },
    /** @throws 404, 403 when the agent has too many triggers, or 409 when its agent is in the trash */
    async restore({ organizationId, id }: TriggerId, editor: Editor): Promise<void> {
      const { agentId } = await findInTrash(db, { organizationId, kind: "trigger", id });
      await drafts.edit({ organizationId, agentId, editor }, async (trx, live) => {
        const { content } = await takeFromTrash(live, { organizationId, kind: "trigger", id });
        // A version of the agent that has the trigger may have been restored.
        if (await findRow(trx, { organizationId, id })) return;
        const { trigger, days } = JSON.parse(content ?? "{}") as Kept;
        await insertTrigger(store, trx, { ...trigger, toolId: await findForm(trx, trigger) });
        // In the draft of an agent, the trigger gets its row for visitors, to which the counters belong, when the draft
        // is published.
        if (!(await findRow(live, { organizationId, id }))) return;
        for (const day of days) {
          await live
            .insertInto("triggerDays")
            .values(day)
            .onConflict((conflict) => conflict.columns(["triggerId", "day"]).doNothing())
            .execute();
        }
      });
      onChange(agentId);
    },
  };
}

function findRow(trx: Transaction<Tables>, { organizationId, id }: TriggerId): Promise<TriggerRow | undefined> {
  return trx
    .selectFrom("triggers")
    .selectAll()
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
}

/** The form that the trigger shows, unless it was deleted in the meantime. */
async function findForm(trx: Transaction<Tables>, { agentId, toolId }: TriggerRow): Promise<string | null> {
  if (toolId === null) return null;
  const form = await trx
    .selectFrom("tools")
    .select("id")
    .where("id", "=", toolId)
    .where("agentId", "=", agentId)
    .executeTakeFirst();
  return form?.id ?? null;
}
