import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Every state of an agent with its tools and triggers that visitors got. */
export async function agentVersions(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  const { schema } = db;
  await schema.alterTable("agents").addColumn("liveVersion", "integer").execute();
  await schema.alterTable("agents").addColumn("liveHash", "text").execute();
  await schema
    .alterTable("agents")
    .addColumn("liveIsUsed", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("messages").addColumn("agentVersion", "integer").execute();
  await schema
    .createTable("agentVersions")
    .addColumn("agentId", "text", (c) => c.notNull().references("agents.id").onDelete("cascade"))
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("content", "text", (c) => c.notNull())
    .addColumn("ids", "text", (c) => c.notNull())
    .addColumn("note", "text")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("createdBy", "text")
    .addPrimaryKeyConstraint("agentVersionsPrimaryKey", ["agentId", "version"])
    .execute();
  await keepEarlierImages(db, kind);
}

/** The images of earlier versions stay, so an agent has several of each kind. */
async function keepEarlierImages(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable("newAgentImages")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("mediaType", "text", (c) => c.notNull())
    .addColumn("content", kind === "sqlite" ? "blob" : "bytea", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("agentImageVersionsKey", ["agentId", "kind", "version"])
    .execute();
  await sql`insert into "newAgentImages" ("agentId", kind, version, "mediaType", content, "createdAt")
    select image."agentId", image.kind, coalesce(
      case image.kind when 'logo' then agents."logoVersion" when 'avatar' then agents."avatarVersion"
        else agents."launcherVersion" end, ''), image."mediaType", image.content, agents."updatedAt"
    from "agentImages" as image join agents on agents.id = image."agentId"`.execute(db);
  await db.schema.dropTable("agentImages").execute();
  await db.schema.alterTable("newAgentImages").renameTo("agentImages").execute();
}
