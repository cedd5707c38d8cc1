import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Adds the flag for test conversations, and hourly counters, filled from the stored conversations. */
export async function conversationAnalytics(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .alterTable("conversations")
    .addColumn("isTest", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable("conversationHours")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("hour", "integer", (c) => c.notNull())
    .$call(counter("conversations"))
    .$call(counter("replies"))
    .$call(counter("failedReplies"))
    .$call(counter("ratedUp"))
    .$call(counter("ratedDown"))
    .$call(counter("inputTokens"))
    .$call(counter("outputTokens"))
    .addPrimaryKeyConstraint("conversationHoursKey", ["agentId", "day", "hour"])
    .execute();
  await fill(db, kind);
}

async function fill(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  const at = (table: string) => sql.ref(`${table}.createdAt`);
  const day = (table: string) =>
    kind === "sqlite"
      ? sql`strftime('%Y-%m-%d', ${at(table)} / 1000, 'unixepoch')`
      : sql`to_char(to_timestamp(${at(table)} / 1000) at time zone 'UTC', 'YYYY-MM-DD')`;
  const hour = (table: string) =>
    kind === "sqlite"
      ? sql`cast(strftime('%H', ${at(table)} / 1000, 'unixepoch') as integer)`
      : sql`cast(extract(hour from to_timestamp(${at(table)} / 1000) at time zone 'UTC') as integer)`;
  await sql`
    insert into "conversationHours" ("agentId", day, hour, conversations, replies, "failedReplies", "ratedUp",
      "ratedDown", "inputTokens", "outputTokens")
    select "agentId", day, hour, sum(conversations), sum(replies), sum(failed), sum(up), sum(down), sum(input), sum(output)
    from (
      select "agentId", ${day("conversations")} as day, ${hour("conversations")} as hour, 1 as conversations,
        0 as replies, 0 as failed, 0 as up, 0 as down, 0 as input, 0 as output
      from conversations
      union all
      select "agentId", ${day("messages")}, ${hour("messages")}, 0,
        case when model is null then 0 else 1 end,
        case when "stopReason" = 'error' then 1 else 0 end,
        case when feedback = 'up' then 1 else 0 end,
        case when feedback = 'down' then 1 else 0 end,
        coalesce("inputTokens", 0), coalesce("outputTokens", 0)
      from messages inner join conversations on conversations.id = messages."conversationId"
      where role = 'assistant' and "stopReason" is not null
    ) as stored
    group by "agentId", day, hour`.execute(db);
}

function counter<const N extends string>(column: N) {
  return <T extends string, C extends string>(builder: CreateTableBuilder<T, C>) =>
    builder.addColumn(column, "bigint", (c) => c.notNull());
}
