import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** The columns that the crawler needs in addition to those of 0020, which no release wrote to. */
export async function sites(db: Kysely<Tables>): Promise<void> {
  const add = (
    table: "sources" | "sourcePages",
    { column, type, value }: { column: string; type: "text" | "integer"; value: string | number },
  ) =>
    db.schema
      .alterTable(table)
      .addColumn(column, type, (c) => c.notNull().defaultTo(value))
      .execute();
  await db.schema.alterTable("sources").dropColumn("isDiscovered").execute();
  await add("sources", { column: "host", type: "text", value: "" });
  await add("sources", { column: "phase", type: "text", value: "discovering" });
  await add("sources", { column: "isComplete", type: "integer", value: 1 });
  await add("sources", { column: "attempts", type: "integer", value: 0 });
  await add("sourcePages", { column: "depth", type: "integer", value: 0 });
  // Processes that claim at the same time cannot both start a sync of one host.
  await db.schema
    .createIndex("sourcesRunningHost")
    .unique()
    .on("sources")
    .column("host")
    .where(sql.ref("state"), "=", sql.lit("running"))
    .execute();
  await db.schema
    .createIndex("sourcesAddress")
    .unique()
    .on("sources")
    .columns(["agentId", "url"])
    .where(sql.ref("state"), "<>", sql.lit("deleting"))
    .execute();
  await db.schema.dropIndex("sourcePagesState").execute();
  await db.schema
    .createIndex("sourcePagesState")
    .on("sourcePages")
    .columns(["sourceId", "state", "depth", "url"])
    .execute();
  await db.schema.createIndex("sourcePagesContent").on("sourcePages").columns(["sourceId", "contentHash"]).execute();
}
