import type { AgentRow, ToolRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { type Snapshot, toToolRow } from "./content.ts";
import { createVersionStore } from "./store.ts";

/**
 * @returns a function that reads the tools of an agent as they were in its version, for a reply that began before a
 * change. Undefined when the version is no longer kept.
 */
export function createFrozenTools({ db }: Pick<Deps, "db">) {
  const store = createVersionStore(db);
  return async ({ organizationId, id: agentId, liveVersion }: AgentRow): Promise<ToolRow[] | undefined> => {
    const row = await store.get({ organizationId, agentId }, liveVersion ?? 0);
    if (!row) return undefined;
    const snapshot = { content: JSON.parse(row.content), ids: JSON.parse(row.ids) };
    return toEnabledTools({ organizationId, agentId }, snapshot, row.createdAt);
  };
}

/** The rows of the enabled tools of a version. */
export function toEnabledTools(
  place: Pick<ToolRow, "organizationId" | "agentId">,
  { content, ids }: Snapshot,
  now: number,
): ToolRow[] {
  return content.tools.flatMap((tool, index) => {
    const id = ids.tools[index] ?? "";
    const frozen = toToolRow(tool, { ...place, id, now });
    return tool.isEnabled ? [{ ...frozen, mayUseUnboundSecrets: ids.unbound.includes(id) ? 1 : 0 }] : [];
  });
}
