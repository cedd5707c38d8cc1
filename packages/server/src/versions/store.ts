import type { Transaction } from "kysely";
import { parseRollout, type StoredRollout } from "../agents/rollout.ts";
import type { Db } from "../db/open.ts";
import type { AgentVersionRow } from "../db/tables/versions.ts";
import type { Tables } from "../db/tables.ts";

const listed = ["version", "hash", "note", "createdAt", "createdBy"] as const;

export type ListedVersionRow = Pick<AgentVersionRow, (typeof listed)[number]>;

type OfAgent = Pick<AgentVersionRow, "organizationId" | "agentId">;

export function createVersionStore(db: Db) {
  const owned = ({ organizationId, agentId }: OfAgent) =>
    db.selectFrom("agentVersions").where("organizationId", "=", organizationId).where("agentId", "=", agentId);
  return {
    /** Newest first. */
    async list(agent: OfAgent, { limit, offset }: { limit: number; offset: number }): Promise<ListedVersionRow[]> {
      return owned(agent).select(listed).orderBy("version", "desc").limit(limit).offset(offset).execute();
    },
    async count(agent: OfAgent): Promise<number> {
      const { n } = await owned(agent)
        .select((x) => x.fn.countAll<number>().as("n"))
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    async get(agent: OfAgent, version: number): Promise<AgentVersionRow | undefined> {
      return owned(agent).selectAll().where("version", "=", version).executeTakeFirst();
    },
  };
}

/** Replaces the rollout of a locked agent. */
export async function writeRollout(
  trx: Transaction<Tables>,
  { organizationId, agentId }: OfAgent,
  change: (current: StoredRollout | null) => StoredRollout | null,
): Promise<void> {
  const agent = await trx
    .selectFrom("agents")
    .select("rollout")
    .where("id", "=", agentId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirstOrThrow();
  const rollout = change(parseRollout(agent));
  await trx
    .updateTable("agents")
    .set({ rollout: rollout && JSON.stringify(rollout) })
    .where("id", "=", agentId)
    .where("organizationId", "=", organizationId)
    .execute();
}
