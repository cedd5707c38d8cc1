import type { AgentContent } from "@foyer/contract";
import type { Transaction } from "kysely";
import { imageColumns, imageKinds, toColumns as toAgentColumns } from "../agents/columns.ts";
import { writeColumns } from "../agents/draft-columns.ts";
import type { TriggerRow } from "../db/tables/triggers.ts";
import type { AgentRow, Tables, ToolRow } from "../db/tables.ts";
import { newId } from "../ids.ts";
import { toColumns as toTriggerColumns, triggerDefaults } from "../triggers/columns.ts";
import { type Snapshot, toToolRow } from "./content.ts";
import { type IsAnswered, leaveOutMissing, type Missing } from "./missing.ts";

type Place = Pick<AgentRow, "organizationId" | "id">;

/**
 * Gives a locked agent the settings, tools and triggers of a version. Tools and triggers that the agent has already
 * keep their ids. What the version names and the organization no longer has is left out and returned.
 * @param isAnswered whether a provider would be asked for a model
 * @param checkTool checks a tool that changes, and returns whether it may use secrets without hosts
 */
export async function writeSnapshot(
  trx: Transaction<Tables>,
  agent: Place,
  { snapshot, isAnswered, checkTool }: { snapshot: Snapshot; isAnswered: IsAnswered; checkTool: CheckTool },
): Promise<Missing[]> {
  const { ids } = snapshot;
  const { organizationId, id: agentId } = agent;
  const given = { content: snapshot.content, isAnswered };
  const { content, missing } = await leaveOutMissing(trx, { organizationId, agentId }, given);
  await writeAgent(trx, agent, content.agent);
  const toolIds = await writeTools(trx, agent, { tools: content.tools, ids: ids.tools, checkTool });
  await writeTriggers(trx, agent, { triggers: content.triggers, ids: ids.triggers, toolIds });
  return missing;
}

async function writeAgent(
  trx: Transaction<Tables>,
  { organizationId, id }: Place,
  content: AgentContent["agent"],
): Promise<void> {
  const { images, name, ...settings } = content;
  const versions: Partial<AgentRow> = {};
  for (const kind of imageKinds) versions[imageColumns[kind]] = images[kind];
  const agent = await trx
    .selectFrom("agents")
    .select(["organizationId", "id", "publishing", "draft"])
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirstOrThrow();
  await writeColumns(trx, agent, { name, ...toAgentColumns(settings), ...versions });
}

export type CheckTool = (change: {
  before: ToolRow | null;
  after: ToolRow;
}) => Promise<Pick<ToolRow, "mayUseUnboundSecrets">>;

/** @returns the ids of the tools by name */
async function writeTools(
  trx: Transaction<Tables>,
  { organizationId, id: agentId }: Place,
  { tools, ids, checkTool }: { tools: AgentContent["tools"]; ids: readonly string[]; checkTool: CheckTool },
): Promise<Map<string, string>> {
  const rows = await trx.selectFrom("tools").selectAll().where("agentId", "=", agentId).execute();
  const matches = match(tools, ids, rows);
  const kept = new Set(matches.map(({ row }) => row?.id));
  for (const { id, executionType, isEnabled } of rows.filter((row) => !kept.has(row.id))) {
    // Visitors may have the form on their screens. A form that is switched off takes what they submit for a while.
    if (executionType === "form" && isEnabled === 1) {
      await trx
        .updateTable("tools")
        .set({ isEnabled: 0, disabledAt: Date.now() })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .execute();
      continue;
    }
    await trx.deleteFrom("tools").where("id", "=", id).where("organizationId", "=", organizationId).execute();
  }
  // Two tools may exchange their names, which must be unique at every moment.
  for (const { row, item } of matches) {
    if (row && row.name !== item.name) {
      await trx.updateTable("tools").set({ name: row.id }).where("id", "=", row.id).execute();
    }
  }
  const now = Date.now();
  const toolIds = new Map<string, string>();
  for (const { row, item, id } of matches) {
    const place = { id: row?.id ?? (await freeId(trx, "tools", id)), organizationId, agentId };
    const after = toToolRow(item, { ...place, ...(row ? { before: row } : {}), now });
    const stored = { ...after, ...(await checkTool({ before: row ?? null, after })) };
    if (row) await trx.updateTable("tools").set(stored).where("id", "=", row.id).execute();
    else await trx.insertInto("tools").values(stored).execute();
    toolIds.set(stored.name, stored.id);
  }
  return toolIds;
}

async function writeTriggers(
  trx: Transaction<Tables>,
  { organizationId, id: agentId }: Place,
  {
    triggers,
    ids,
    toolIds,
  }: { triggers: AgentContent["triggers"]; ids: readonly string[]; toolIds: ReadonlyMap<string, string> },
): Promise<void> {
  const rows = await trx.selectFrom("triggers").selectAll().where("agentId", "=", agentId).orderBy("id").execute();
  const matches = match(triggers, ids, rows);
  const kept = new Set(matches.map(({ row }) => row?.id));
  for (const { id } of rows.filter((row) => !kept.has(row.id))) {
    await trx.deleteFrom("triggers").where("id", "=", id).where("organizationId", "=", organizationId).execute();
  }
  const now = Date.now();
  for (const { row, item, id } of matches) {
    const { tool, ...config } = item.actionConfig;
    const toolId = typeof tool === "string" ? (toolIds.get(tool) ?? null) : null;
    const trigger: TriggerRow = {
      ...triggerDefaults,
      ...toTriggerColumns(item),
      name: item.name,
      triggerType: item.triggerType,
      actionType: item.actionType,
      conditions: JSON.stringify(item.conditions),
      actionConfig: JSON.stringify(toolId === null ? config : { ...config, toolId }),
      toolId,
      id: row?.id ?? (await freeId(trx, "triggers", id)),
      organizationId,
      agentId,
      createdAt: row?.createdAt ?? now,
      updatedAt: Math.max(now, (row?.updatedAt ?? 0) + 1),
    };
    if (row) await trx.updateTable("triggers").set(trigger).where("id", "=", row.id).execute();
    else await trx.insertInto("triggers").values(trigger).execute();
  }
}

type Match<Item, Row> = { item: Item; id: string; row: Row | undefined };

/** Finds the row that each item replaces: the one with the id it had, or else one with its name. */
function match<Item extends { name: string }, Row extends { id: string; name: string }>(
  items: readonly Item[],
  ids: readonly string[],
  rows: readonly Row[],
): Array<Match<Item, Row>> {
  const free = new Map(rows.map((row) => [row.id, row]));
  const take = (row: Row | undefined) => {
    if (row) free.delete(row.id);
    return row;
  };
  const byId = items.map((item, index) => ({ item, id: ids[index] ?? "", row: take(free.get(ids[index] ?? "")) }));
  return byId.map((found) => ({
    ...found,
    row: found.row ?? take([...free.values()].find(({ name }) => name === found.item.name)),
  }));
}

/** The id that the item had, unless something else has it now. */
async function freeId(trx: Transaction<Tables>, table: "tools" | "triggers", id: string): Promise<string> {
  const taken = id === "" || (await trx.selectFrom(table).select("id").where("id", "=", id).executeTakeFirst());
  return taken ? newId(table === "tools" ? "tool" : "trigger") : id;
}
