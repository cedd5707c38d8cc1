import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Teams of members, and the team of a conversation and of a request for a person. */
export async function teams(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("teams")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("description", "text")
    .addColumn("officeHours", "text")
    .addColumn("assignment", "text", (c) => c.notNull())
    .addColumn("firstAnswer", "integer")
    .addColumn("nextAnswer", "integer")
    .addColumn("resolution", "integer")
    .addColumn("escalationTeamId", "text", (c) => c.references("teams.id").onDelete("set null"))
    .addColumn("escalateAfter", "integer")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await schema.createIndex("teamOrganization").on("teams").column("organizationId").execute();
  await schema.createIndex("teamEscalation").on("teams").column("escalationTeamId").execute();
  await schema
    .createTable("teamMembers")
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("teamId", "teams"))
    .$call(belongsTo("userId", "users"))
    .addColumn("capacity", "integer", (c) => c.notNull())
    .addColumn("lastAssignedAt", "bigint", (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint("teamMemberKey", ["teamId", "userId"])
    .execute();
  await schema.createIndex("teamMemberUser").on("teamMembers").columns(["organizationId", "userId"]).execute();
  await schema.createIndex("teamMemberAccount").on("teamMembers").column("userId").execute();

  await schema.alterTable("conversations").addColumn("teamId", "text").execute();
  await schema
    .createIndex("conversationTeam")
    .on("conversations")
    .columns(["teamId", "id"])
    .where("teamId", "is not", null)
    .execute();
  // For the conversations that wait for a team or that its members have.
  await schema
    .createIndex("conversationTeamOpen")
    .on("conversations")
    .columns(["teamId", "handler", "waitingSince"])
    .where("handler", "<>", sql.lit("agent"))
    .execute();
  await schema.alterTable("handoffs").addColumn("teamId", "text").execute();
  await schema.alterTable("handoffs").addColumn("escalatesAt", "bigint").execute();
  await schema.alterTable("handoffs").addColumn("targets", "text").execute();
  await schema.alterTable("handoffs").addColumn("warnAt", "bigint").execute();
  await schema
    .alterTable("handoffs")
    .addColumn("nextMet", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable("handoffs")
    .addColumn("nextMissed", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createIndex("handoffTeam")
    .on("handoffs")
    .columns(["teamId", "requestedAt"])
    .where("teamId", "is not", null)
    .execute();
  await schema
    .createIndex("handoffEscalation")
    .on("handoffs")
    .column("escalatesAt")
    .where("escalatesAt", "is not", null)
    .execute();
}
