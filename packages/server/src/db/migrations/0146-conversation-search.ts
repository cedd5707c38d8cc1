import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/**
 * The index in which searches find conversations by parts of words, see conversations/search/. It is filled in the
 * background. PostgreSQL stores the keys of a conversation in its row. SQLite stores them in a full-text table without
 * content, whose rows a trigger deletes together with those of `searchTexts`.
 */
export async function conversationSearch(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable("searchProgress")
    .addColumn("agentId", "text", (c) => c.primaryKey().references("agents.id").onDelete("cascade"))
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addColumn("conversationId", "text", (c) => c.notNull())
    .execute();
  if (kind === "postgres") {
    await db.schema
      .createTable("searchTexts")
      .$call(belongsTo("conversationId", "conversations"))
      .addColumn("organizationId", "text", (c) => c.notNull())
      .addColumn("keys", sql`integer[]`, (c) => c.notNull())
      .addPrimaryKeyConstraint("searchTextsKey", ["conversationId"])
      .execute();
    await sql`create index "searchTextsKeys" on "searchTexts" using gin (keys)`.execute(db);
    return;
  }
  await db.schema
    .createTable("searchTexts")
    .addColumn("number", "integer", (c) => c.primaryKey())
    .addColumn("conversationId", "text", (c) => c.notNull().unique().references("conversations.id").onDelete("cascade"))
    .addColumn("organizationId", "text", (c) => c.notNull())
    .execute();
  await sql`create virtual table "searchKeys"
    using fts5(keys, content='', contentless_delete=1, detail=none, tokenize='ascii')`.execute(db);
  await sql`create trigger "searchTextsDeleted" after delete on "searchTexts" begin
    delete from "searchKeys" where rowid = old.number;
  end`.execute(db);
}
