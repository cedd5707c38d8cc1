import type { AgentImageKind } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Db } from "../db/open.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";

export type AgentImage = { mediaType: string; content: Buffer };
type Target = { organizationId: string; agentId: string; kind: AgentImageKind };

const versionColumns = {
  logo: "logoVersion",
  avatar: "avatarVersion",
  launcher: "launcherVersion",
} as const satisfies Record<AgentImageKind, keyof AgentRow>;

export function createAgentImageStore(db: Db) {
  return {
    async get(agentId: string, kind: AgentImageKind): Promise<AgentImage | undefined> {
      return db
        .selectFrom("agentImages")
        .select(["mediaType", "content"])
        .where("agentId", "=", agentId)
        .where("kind", "=", kind)
        .executeTakeFirst();
    },
    /** @returns whether the organization has this agent */
    async put(target: Target, image: AgentImage, version: string): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        if (!(await setVersion(trx, target, version))) return false;
        const row = { agentId: target.agentId, kind: target.kind, ...image };
        await trx
          .insertInto("agentImages")
          .values(row)
          .onConflict((conflict) => conflict.columns(["agentId", "kind"]).doUpdateSet(image))
          .execute();
        return true;
      });
    },
    /** @returns whether the organization has this agent */
    async delete(target: Target): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        if (!(await setVersion(trx, target, null))) return false;
        await trx
          .deleteFrom("agentImages")
          .where("agentId", "=", target.agentId)
          .where("kind", "=", target.kind)
          .execute();
        return true;
      });
    },
  };
}

/**
 * Call this first in a transaction. It checks the organization, and makes concurrent changes to one agent wait for each
 * other.
 */
async function setVersion(trx: Transaction<Tables>, { organizationId, agentId, kind }: Target, version: string | null) {
  const { numUpdatedRows } = await trx
    .updateTable("agents")
    .set({ [versionColumns[kind]]: version, updatedAt: Date.now() })
    .where("id", "=", agentId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Copies the images of an agent to its duplicate, whose row already carries their versions. */
export async function copyImages(trx: Transaction<Tables>, fromAgentId: string, toAgentId: string): Promise<void> {
  await trx
    .insertInto("agentImages")
    .columns(["agentId", "kind", "mediaType", "content"])
    .expression((from) =>
      from
        .selectFrom("agentImages")
        .select(({ val }) => [val(toAgentId).as("agentId"), "kind", "mediaType", "content"])
        .where("agentId", "=", fromAgentId),
    )
    .execute();
}
