import type { AgentImageKind } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Db } from "../db/open.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { imageColumns, imageKinds } from "./columns.ts";

/** The number of images of each kind that an agent keeps for earlier versions, besides the current one. */
const MAX_EARLIER = 20;

export type AgentImage = { mediaType: string; content: Buffer; version: string };
type Target = { organizationId: string; agentId: string; kind: AgentImageKind };

export function createAgentImageStore(db: Db) {
  return {
    /** The agent's current image of this kind. */
    async get(agentId: string, kind: AgentImageKind): Promise<AgentImage | undefined> {
      return db
        .selectFrom("agentImages")
        .innerJoin("agents", "agents.id", "agentImages.agentId")
        .select(["mediaType", "content", "version"])
        .where("agentId", "=", agentId)
        .where("kind", "=", kind)
        .whereRef("version", "=", `agents.${imageColumns[kind]}`)
        .executeTakeFirst();
    },
    /** Replaces the image of a locked agent. */
    async put(trx: Transaction<Tables>, { kind, ...target }: Target, image: AgentImage): Promise<void> {
      const { agentId } = target;
      const createdAt = Date.now();
      await setVersion(trx, { kind, ...target }, image.version);
      await trx
        .insertInto("agentImages")
        .values({ agentId, kind, ...image, createdAt })
        .onConflict((conflict) => conflict.columns(["agentId", "kind", "version"]).doUpdateSet({ createdAt }))
        .execute();
      const kept = await trx
        .selectFrom("agentImages")
        .select("version")
        .where("agentId", "=", agentId)
        .where("kind", "=", kind)
        .orderBy("createdAt", "desc")
        .limit(1 + MAX_EARLIER)
        .execute();
      await trx
        .deleteFrom("agentImages")
        .where("agentId", "=", agentId)
        .where("kind", "=", kind)
        .where(
          "version",
          "not in",
          kept.map(({ version }) => version),
        )
        .execute();
    },
    /** Removes the image of a locked agent. Earlier versions of the agent keep it. */
    async remove(trx: Transaction<Tables>, target: Target): Promise<void> {
      await setVersion(trx, target, null);
    },
  };
}

async function setVersion(trx: Transaction<Tables>, { organizationId, agentId, kind }: Target, version: string | null) {
  await trx
    .updateTable("agents")
    .set({ [imageColumns[kind]]: version, updatedAt: Date.now() })
    .where("id", "=", agentId)
    .where("organizationId", "=", organizationId)
    .execute();
}

type ImageVersions = Pick<AgentRow, "id" | "logoVersion" | "avatarVersion" | "launcherVersion">;

/** Copies the current images of an agent to its duplicate, whose row already carries their versions. */
export async function copyImages(trx: Transaction<Tables>, from: ImageVersions, toAgentId: string): Promise<void> {
  for (const kind of imageKinds) {
    const version = from[imageColumns[kind]];
    if (version === null) continue;
    await trx
      .insertInto("agentImages")
      .columns(["agentId", "kind", "version", "mediaType", "content", "createdAt"])
      .expression((source) =>
        source
          .selectFrom("agentImages")
          .select(({ val }) => [val(toAgentId).as("agentId"), "kind", "version", "mediaType", "content", "createdAt"])
          .where("agentId", "=", from.id)
          .where("kind", "=", kind)
          .where("version", "=", version),
      )
      .execute();
  }
}
