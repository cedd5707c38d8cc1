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

export type ReadAgentAtVersion = ReturnType<typeof createAgentReader>;

/**
 * @returns a function that reads an agent as it is in a version or in its draft. `field` names the version in errors.
 * What is not part of a version is as it is now.
 */
export function createAgentReader({ db }: Pick<Deps, "db">, agents: Pick<AgentService, "get" | "getPublic">) {
  const store = createVersionStore(db);

  /** @throws 404 when the organization has no such agent, and 400 when the agent has no such version */
  return async (
    place: { organizationId: string; agentId: string },
    version: number | string,
    field = "version",
  ): Promise<AgentAtVersion> => {
    await agents.get(place.organizationId, place.agentId);
    const live = await agents.getPublic(place.agentId);
    if (version === "draft") {
      const agent = withDraft(live);
      const snapshot = await db
        .transaction()
        .execute((trx) => readSnapshot(live.publishing === "manual" ? inDraft(trx) : trx, agent));
      return { agent, tools: toEnabledTools(place, snapshot, live.updatedAt) };
    }
    const row = await store.get(place, Number(version));
    if (!row) {
      throw invalid(field, `must be a version of this agent, or draft; there is no ${version}`, "unknown_reference");
    }
    const snapshot: Snapshot = { content: JSON.parse(row.content), ids: JSON.parse(row.ids) };
    const agent = { ...live, ...toFrozenColumns(live, snapshot.content.agent) };
    return { agent, tools: toEnabledTools(place, snapshot, row.createdAt) };
  };
}
