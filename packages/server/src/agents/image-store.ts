import type { AgentImageKind } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Db } from "../db/open.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { imageColumns, imageKinds } from "./columns.ts";
import { writeColumns } from "./draft-columns.ts";

/** The number of images of each kind that an agent keeps for earlier versions, besides the current one. */
const MAX_EARLIER = 20;

export type AgentImage = { mediaType: string; content: Buffer; version: string };
type Target = { organizationId: string; agentId: string; kind: AgentImageKind };

export function createAgentImageStore(db: Db) {
  return {
    /**
     * The image that visitors get, or that of the draft if its version is asked for. Earlier ones are only kept for
     * versions of the agent that may be restored.
     */
    async get(agentId: string, kind: AgentImageKind, asked: string | undefined): Promise<AgentImage | undefined> {
      const column = imageColumns[kind];
      const agent = await db
        .selectFrom("agents")
        .select([column, "draft"])
        .where("id", "=", agentId)
        .where("deletedAt", "is", null)
        .executeTakeFirst();
      if (!agent) return undefined;
      const drafted: Partial<AgentRow> = JSON.parse(agent.draft);
      const version = asked !== undefined && asked === drafted[column] ? asked : agent[column];
      if (version === null) return undefined;
      return db
        .selectFrom("agentImages")
        .select(["mediaType", "content", "version"])
        .where("agentId", "=", agentId)
        .where("kind", "=", kind)
        .where("version", "=", version)
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
      // Visitors may still get an older image, while the draft has changed often.
      const column = imageColumns[kind];
      const live = await trx.selectFrom("agents").select(column).where("id", "=", agentId).executeTakeFirstOrThrow();
      const versions = [...kept.map(({ version }) => version), live[column] ?? ""];
      await trx
        .deleteFrom("agentImages")
        .where("agentId", "=", agentId)
        .where("kind", "=", kind)
        .where("version", "not in", versions)
        .execute();
    },
    /** Removes the image of a locked agent. Earlier versions of the agent keep it. */
    async remove(trx: Transaction<Tables>, target: Target): Promise<void> {
      await setVersion(trx, target, null);
    },
  };
}

async function setVersion(trx: Transaction<Tables>, { organizationId, agentId, kind }: Target, version: string | null) {
  const agent = await trx
    .selectFrom("agents")
    .select(["organizationId", "id", "publishing", "draft"])
    .where("id", "=", agentId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirstOrThrow();
  await writeColumns(trx, agent, { [imageColumns[kind]]: version, updatedAt: Date.now() });
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
