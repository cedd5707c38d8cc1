import type { Trashed } from "@foyer/contract";
import type { Transaction } from "kysely";
import { inDraft } from "../db/draft-tables.ts";
import { lockRow } from "../db/lock-row.ts";
import type { TriggerRow } from "../db/tables/triggers.ts";
import type { Tables, ToolRow } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { isId } from "../ids.ts";
import { deletionTime, findInTrash, putIntoTrash, takeFromTrash } from "../trash/entries.ts";
import type { Drafts, Editor } from "./editor.ts";
import type { AgentService } from "./service.ts";
import { checkAgentLimit, chooseSlug, createAgentStore } from "./store.ts";

type Rows = { tools: ToolRow[]; triggers: TriggerRow[] };
/** What leaves the tables while the agent is in the trash. Everything else stays, hidden with the agent. */
type Kept = { slug: string; live: Rows; draft: Rows; days: Tables["triggerDays"][] };

type Parts = {
  agents: Pick<AgentService, "get" | "delete">;
  drafts: Pick<Drafts, "edit">;
  /** called once the agent is hidden or back */
  onChange(agentId: string): void;
};

type AgentId = { organizationId: string; id: string };

export type AgentTrash = ReturnType<typeof createAgentTrash>;

/** Moves agents to the trash and restores them. */
export function createAgentTrash({ db, config }: Pick<Deps, "db" | "config">, { agents, drafts, onChange }: Parts) {
  const store = createAgentStore(db);
  return {
    /** @throws 404 */
    async trash({ organizationId, id }: AgentId, editor: Editor): Promise<Trashed> {
      const { name } = await agents.get(organizationId, id);
      if (config.trashDays === 0) {
        await agents.delete(organizationId, id, editor);
        return { deletesAt: null };
      }
      const trashedAt = Date.now();
      await drafts.edit({ organizationId, agentId: id, editor }, async (_, trx) => {
        const kept = await readKept(trx, id);
        if (!(await store.hide(trx, { organizationId, id }, trashedAt))) throw notFound("Agent");
        const by = { trashedBy: editor.by.name, trashedAt };
        const content = JSON.stringify(kept);
        await putIntoTrash(trx, [{ id, organizationId, agentId: id, kind: "agent", name, content, ...by }]);
      });
      onChange(id);
      return { deletesAt: deletionTime(config, trashedAt) };
    },
    /** @throws 404, or 403 when the organization has as many agents as its plan allows */
    async restore({ organizationId, id }: AgentId): Promise<void> {
      if (!isId("agent", id)) throw notFound("Agent");
      await findInTrash(db, { organizationId, kind: "agent", id });
      await inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", organizationId);
        await checkAgentLimit(trx, organizationId);
        const { content } = await takeFromTrash(trx, { organizationId, kind: "agent", id });
        const kept = JSON.parse(content ?? "{}") as Kept;
        const slug = await chooseSlug(trx, { organizationId, id }, kept.slug);
        await trx
          .updateTable("agents")
          .set({ deletedAt: null, slug })
          .where("id", "=", id)
          .where("organizationId", "=", organizationId)
          .execute();
        await insertKept(trx, kept);
      });
      onChange(id);
    },
  };
}

async function readKept(trx: Transaction<Tables>, agentId: string): Promise<Kept> {
  const read = async (side: Transaction<Tables>): Promise<Rows> => ({
    tools: await side.selectFrom("tools").selectAll().where("agentId", "=", agentId).execute(),
    triggers: await side.selectFrom("triggers").selectAll().where("agentId", "=", agentId).execute(),
  });
  const { slug } = await trx.selectFrom("agents").select("slug").where("id", "=", agentId).executeTakeFirstOrThrow();
  const live = await read(trx);
  const ids = live.triggers.map(({ id }) => id);
  const days =
    ids.length === 0 ? [] : await trx.selectFrom("triggerDays").selectAll().where("triggerId", "in", ids).execute();
  return { slug, live, draft: await read(inDraft(trx)), days };
}

async function insertKept(trx: Transaction<Tables>, { live, draft, days }: Kept): Promise<void> {
  for (const [side, { tools, triggers }] of [[trx, live] as const, [inDraft(trx), draft] as const]) {
    for (const tool of tools) await side.insertInto("tools").values(tool).execute();
    for (const trigger of triggers) await side.insertInto("triggers").values(trigger).execute();
  }
  for (const day of days) await trx.insertInto("triggerDays").values(day).execute();
}
