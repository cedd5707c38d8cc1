import type { Trashed } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Drafts, Editor } from "../agents/editor.ts";
import type { Principal } from "../auth/sessions/authenticate.ts";
import type { Tables, ToolRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { readLimits } from "../plans/plan-limits.ts";
import { deletionTime, findInTrash, putIntoTrash, takeFromTrash } from "../trash/entries.ts";
import { limitReached, refuseDuplicate, type ToolService } from "./service.ts";
import { createToolStore } from "./store.ts";

type Parts = {
  tools: Pick<ToolService, "existing" | "delete">;
  drafts: Pick<Drafts, "edit">;
  /** called with the agent whose tools changed */
  onChange(agentId: string): void;
};

type ToolId = Pick<ToolRow, "organizationId" | "id">;

export type ToolTrash = ReturnType<typeof createToolTrash>;

/** Moves tools to the trash and restores them. A tool in the trash consists of its entry there. */
export function createToolTrash({ db, config }: Pick<Deps, "db" | "config">, { tools, drafts, onChange }: Parts) {
  const store = createToolStore(db);
  return {
    /** @throws 404 */
    async trash({ organizationId, id }: ToolId, editor: Editor): Promise<Trashed> {
      const { agentId } = await tools.existing(organizationId, id);
      if (config.trashDays === 0) {
        await tools.delete(organizationId, id, editor);
        return { deletesAt: null };
      }
      const trashedAt = Date.now();
      await drafts.edit({ organizationId, agentId, editor }, async (trx, live) => {
        const row = await findRow(trx, { organizationId, id });
        if (!row || !(await store.delete(trx, row))) throw notFound("Tool");
        const by = { trashedBy: editor.by.name, trashedAt };
        const content = JSON.stringify(row);
        await putIntoTrash(live, [{ id, organizationId, agentId, kind: "tool", name: row.name, content, ...by }]);
      });
      onChange(agentId);
      return { deletesAt: deletionTime(config, trashedAt) };
    },
    /** @throws 404, 403 by the plan, or 409 when its agent is in the trash or another tool has its name */
    async restore({ organizationId, plan }: Principal, id: string, editor: Editor): Promise<void> {
      const { agentId, name } = await findInTrash(db, { organizationId, kind: "tool", id });
      const { toolsPerAgent } = readLimits(plan);
      await drafts
        .edit({ organizationId, agentId, editor }, async (trx, live) => {
          const { content } = await takeFromTrash(live, { organizationId, kind: "tool", id });
          // A version of the agent that has the tool may have been restored.
          if (await findRow(trx, { organizationId, id })) return;
          const row = JSON.parse(content ?? "{}") as ToolRow;
          if (!(await store.insert(trx, row, toolsPerAgent))) throw limitReached(plan, toolsPerAgent);
          await showAgain(trx, row);
        })
        .catch(refuseDuplicate(name ?? ""));
      onChange(agentId);
    },
  };
}

function findRow(trx: Transaction<Tables>, { organizationId, id }: ToolId): Promise<ToolRow | undefined> {
  return trx
    .selectFrom("tools")
    .selectAll()
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
}

/** Connects the form to the triggers that showed it. Their settings still name it. */
async function showAgain(trx: Transaction<Tables>, { organizationId, agentId, id }: ToolRow): Promise<void> {
  const triggers = await trx
    .selectFrom("triggers")
    .select(["id", "actionConfig"])
    .where("agentId", "=", agentId)
    .where("organizationId", "=", organizationId)
    .where("actionType", "=", "show_form")
    .where("toolId", "is", null)
    .execute();
  const shown = triggers.filter(({ actionConfig }) => (JSON.parse(actionConfig) as { toolId?: unknown }).toolId === id);
  if (shown.length === 0) return;
  await trx
    .updateTable("triggers")
    .set({ toolId: id })
    .where(
      "id",
      "in",
      shown.map((trigger) => trigger.id),
    )
    .where("organizationId", "=", organizationId)
    .execute();
}
