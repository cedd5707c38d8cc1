import { withDraft } from "../agents/draft-columns.ts";
import type { AgentService } from "../agents/service.ts";
import { inDraft } from "../db/draft-tables.ts";
import type { AgentRow, ToolRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { invalid } from "../errors.ts";
import { readSnapshot, type Snapshot } from "./content.ts";
import { toEnabledTools } from "./frozen-tools.ts";
import { toFrozenColumns } from "./rollouts.ts";
import { createVersionStore } from "./store.ts";

/** An agent in one of its states, with its enabled tools. */
export type AgentAtVersion = { agent: AgentRow; tools: ToolRow[] };

type Place = { organizationId: string; agentId: string };

export type AgentReader = ReturnType<typeof createAgentReader>;

/** Reads an agent as it is in a version or in its draft. What is not part of a version is as it is now. */
export function createAgentReader({ db }: Pick<Deps, "db">, agents: Pick<AgentService, "get" | "getPublic">) {
  const store = createVersionStore(db);

  /**
   * @param field names the version in errors
   * @throws 404 when the organization has no such agent, and 400 when the agent has no such version
   */
  async function snapshot(place: Place, version: number | string, field = "version"): Promise<Snapshot> {
    await agents.get(place.organizationId, place.agentId);
    if (version === "draft") {
      const live = await agents.getPublic(place.agentId);
      return db
        .transaction()
        .execute((trx) => readSnapshot(live.publishing === "manual" ? inDraft(trx) : trx, withDraft(live)));
    }
    const row = await store.get(place, Number(version));
    if (row) return { content: JSON.parse(row.content), ids: JSON.parse(row.ids) };
    throw invalid(field, `must be a version of this agent, or draft; there is no ${version}`, "unknown_reference");
  }

  /** The agent with the settings and tools of the snapshot. @throws 404 when there is no such agent any more */
  async function restore(place: Place, frozen: Snapshot): Promise<AgentAtVersion> {
    await agents.get(place.organizationId, place.agentId);
    const live = await agents.getPublic(place.agentId);
    const agent = { ...live, ...toFrozenColumns(live, frozen.content.agent) };
    return { agent, tools: toEnabledTools(place, frozen, live.updatedAt) };
  }

  return {
    snapshot,
    restore,
    at: async (place: Place, version: number | string): Promise<AgentAtVersion> =>
      restore(place, await snapshot(place, version)),
  };
}
