import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Drafts of agents that are published by hand, which visitors do not get. */
export async function agentDrafts(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable("agents")
    .addColumn("publishing", "text", (c) => c.notNull().defaultTo("immediate"))
    .execute();
  await schema
    .alterTable("agents")
    .addColumn("draft", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
  await schema.alterTable("agents").addColumn("draftHash", "text").execute();
  await mirror(db, "tools", "draftTools");
  await mirror(db, "triggers", "draftTriggers");
  await schema.createIndex("draftToolNames").unique().on("draftTools").columns(["agentId", "name"]).execute();
  await schema.createIndex("draftTriggersAgent").on("draftTriggers").column("agentId").execute();
}

/** Creates an empty table with the columns of another one. */
async function mirror(db: Kysely<Tables>, source: string, name: string): Promise<void> {
  const table = (await db.introspection.getTables()).find((candidate) => candidate.name === source);
  const columns = table?.columns.filter((column) => column.name !== "agentId") ?? [];
  let create = db.schema.createTable(name).$call(belongsTo("agentId", "agents"));
  for (const { name: column, dataType, isNullable } of columns) {
    create = create.addColumn(column, sql.raw(dataType), (c) => {
      if (column === "id") return c.primaryKey();
      if (column === "toolId") return c.references("draftTools.id").onDelete("set null");
      return isNullable ? c : c.notNull();
    });
  }
  await create.execute();
}
