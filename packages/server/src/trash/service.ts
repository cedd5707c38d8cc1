import type { TrashItem, TrashQuery } from "@foyer/contract";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { deletionTime } from "./entries.ts";
import { createTrashStore, type ListedRow } from "./store.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** What deletes the entries whose deletion has begun, see trash-purge.ts. */
export type TrashPurge = {
  /** @returns once these entries of the organization, or all of them, are deleted */
  purge(organizationId: string, id?: string): Promise<void>;
};

export type TrashService = ReturnType<typeof createTrashService>;

/** Lists and empties the trash. Each resource moves its own things there and back. */
export function createTrashService(deps: Pick<Deps, "db" | "reads" | "config" | "log">, { purge }: TrashPurge) {
  const store = createTrashStore(deps);
  const { config, log } = deps;

  function toItem(row: ListedRow): TrashItem {
    return {
      id: row.id,
      kind: row.kind,
      name: row.name ?? row.title ?? "",
      agentId: row.agentId,
      agentName: row.agentName,
      isAgentInTrash: row.kind !== "agent" && Number(row.isAgentInTrash) === 1,
      trashedBy: row.trashedBy,
      trashedAt: new Date(row.trashedAt).toISOString(),
      deletesAt: deletionTime(config, row.trashedAt),
    };
  }

  return {
    async list(organizationId: string, { limit, offset = 0, ...filter }: TrashQuery) {
      const page = { limit: Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT), offset };
      const { rows, total } = await store.list(organizationId, filter, page);
      return { items: rows.map(toItem), keptDays: config.trashDays, pagination: { total, ...page } };
    },
    /** @throws 404 */
    async delete(organizationId: string, id: string): Promise<void> {
      if ((await store.beginPurge(organizationId, id)) === 0) throw notFound("Entry in the trash");
      await purge(organizationId, id);
    },
    /** The entries are deleted in the background. @returns their number */
    async empty(organizationId: string): Promise<number> {
      const deleted = await store.beginPurge(organizationId);
      purge(organizationId).catch((error: unknown) =>
        log.error({ err: error, organizationId }, "could not empty the trash; retrying in an hour"),
      );
      return deleted;
    },
  };
}
