import { createHash } from "node:crypto";
import type { AgentContent, ToolContent, TriggerContent } from "@foyer/contract";
import { inKeyOrder } from "@foyer/contract/rules/in-key-order";
import type { Transaction } from "kysely";
import { toAgent } from "../agents/columns.ts";
import { parseHandoff } from "../agents/handoff.ts";
import type { TriggerRow } from "../db/tables/triggers.ts";
import type { AgentRow, Tables, ToolRow } from "../db/tables.ts";
import { emptyTool, toSettings, toTool, toColumns as toToolColumns } from "../tools/columns.ts";
import { toTrigger } from "../triggers/columns.ts";

/**
 * A content with the ids of its tools and triggers, in the same order, and those of the tools that may use secrets
 * without hosts.
 */
export type Snapshot = { content: AgentContent; ids: { tools: string[]; triggers: string[]; unbound: string[] } };

/** Reads what a version of the agent would freeze now. */
export async function readSnapshot(trx: Transaction<Tables>, agent: AgentRow): Promise<Snapshot> {
  const tools = await trx.selectFrom("tools").selectAll().where("agentId", "=", agent.id).orderBy("name").execute();
  const triggers = await trx.selectFrom("triggers").selectAll().where("agentId", "=", agent.id).orderBy("id").execute();
  return toSnapshot(agent, { tools, triggers, emailOf: await readEmails(trx, agent) });
}

type Parts = { tools: readonly ToolRow[]; triggers: readonly TriggerRow[]; emailOf: ReadonlyMap<string, string> };

function toSnapshot(agent: AgentRow, { tools, triggers, emailOf }: Parts): Snapshot {
  const toolNames = new Map(tools.map(({ id, name }) => [id, name]));
  const toolsByName = tools.toSorted((a, b) => compare(a.name, b.name));
  const triggersByName = triggers.toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
  return {
    content: {
      agent: toAgentContent(agent, emailOf),
      tools: toolsByName.map(toToolContent),
      triggers: triggersByName.map((trigger) => toTriggerContent(trigger, toolNames)),
    },
    ids: {
      tools: toolsByName.map(({ id }) => id),
      triggers: triggersByName.map(({ id }) => id),
      unbound: tools.filter((tool) => tool.mayUseUnboundSecrets === 1).map(({ id }) => id),
    },
  };
}

/** The content as text, which is equal for equal contents, and its hash. */
export function serialize(content: AgentContent): { text: string; hash: string } {
  const text = JSON.stringify(content, inKeyOrder);
  return { text, hash: createHash("sha256").update(text).digest("hex") };
}

function toAgentContent(row: AgentRow, emailOf: ReadonlyMap<string, string>): AgentContent["agent"] {
  const { retention, ...agent } = toAgent(row, unused);
  const { id, slug, modelIsDefault, allowedOrigins, monthlyTokenBudget, monthlyCostBudget, ...rest } = agent;
  const { publishing, publishRequiresTests, liveVersion, rollout, draftHash, createdAt, updatedAt, ...settings } = rest;
  return {
    ...settings,
    model: row.model,
    handoff: {
      ...settings.handoff,
      escalation: settings.handoff.escalation.map((userId) => emailOf.get(userId) ?? userId),
    },
    images: { logo: row.logoVersion, avatar: row.avatarVersion, launcher: row.launcherVersion },
  };
}

/** The server's defaults, of which a version freezes none. */
const unused = { modelId: "", retention: { conversations: null, submissions: null, files: null, events: null } };

function toToolContent(row: ToolRow): ToolContent {
  const { id, agentId, warnings, createdAt, updatedAt, ...settings } = toTool(row);
  return settings;
}

function toTriggerContent(row: TriggerRow, toolNames: ReadonlyMap<string, string>): TriggerContent {
  const { id, agentId, createdAt, updatedAt, actionConfig, ...settings } = toTrigger(row);
  if (row.actionType !== "show_form") return { ...settings, actionConfig };
  const { toolId, ...config } = actionConfig;
  return { ...settings, actionConfig: { ...config, tool: toolNames.get(row.toolId ?? "") ?? null } };
}

/** The row of a tool in a content. What a content does not have is as in `before`, or as in a new tool. */
export function toToolRow(
  tool: ToolContent,
  { before, now, ...place }: Pick<ToolRow, "id" | "organizationId" | "agentId"> & { before?: ToolRow; now: number },
): ToolRow {
  const settings = toSettings(tool);
  return {
    ...emptyTool,
    ...place,
    mayUseUnboundSecrets: before?.mayUseUnboundSecrets ?? 0,
    name: tool.name,
    description: tool.description,
    executionType: tool.executionType,
    inputSchema: JSON.stringify(tool.inputSchema),
    ...toToolColumns(settings),
    disabledAt: tool.isEnabled ? null : (before?.disabledAt ?? now),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
}

/** The email addresses of the members that the agent notifies, by user id. */
async function readEmails(trx: Transaction<Tables>, agent: AgentRow): Promise<Map<string, string>> {
  const { escalation } = parseHandoff(agent);
  if (escalation.length === 0) return new Map();
  const members = await trx
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select(["users.id", "users.email"])
    .where("members.organizationId", "=", agent.organizationId)
    .where("users.id", "in", escalation)
    .execute();
  return new Map(members.map(({ id, email }) => [id, email]));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
