import { type Kysely, sql } from "kysely";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Counts the pictures and files that visitors and members send, and those that stored messages have. */
export async function attachmentCounters(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  for (const name of ["visitorAttachments", "memberAttachments"]) {
    await db.schema
      .alterTable("conversationHours")
      .addColumn(name, "bigint", (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await fill(db, kind);
}

async function fill(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  const day =
    kind === "sqlite"
      ? sql`strftime('%Y-%m-%d', messages."createdAt" / 1000, 'unixepoch')`
      : sql`to_char(to_timestamp(messages."createdAt" / 1000) at time zone 'UTC', 'YYYY-MM-DD')`;
  const hour =
    kind === "sqlite"
      ? sql`cast(strftime('%H', messages."createdAt" / 1000, 'unixepoch') as integer)`
      : sql`cast(extract(hour from to_timestamp(messages."createdAt" / 1000) at time zone 'UTC') as integer)`;
  await sql`
    insert into "conversationHours" ("agentId", day, hour, conversations, replies, "failedReplies", "ratedUp",
      "ratedDown", "inputTokens", "outputTokens", "visitorAttachments", "memberAttachments")
    select "agentId", day, hour, 0, 0, 0, 0, 0, 0, 0, sum(visitor), sum(member)
    from (
      select conversations."agentId", ${day} as day, ${hour} as hour,
        case when role = 'user' then 1 else 0 end as visitor,
        case when role = 'assistant' then 1 else 0 end as member
      from attachments
      inner join messages on messages.id = attachments."messageId"
      inner join conversations on conversations.id = messages."conversationId"
      where conversations."isTest" = 0
    ) as stored
    where true
    group by "agentId", day, hour
    on conflict ("agentId", day, hour) do update
      set "visitorAttachments" = excluded."visitorAttachments", "memberAttachments" = excluded."memberAttachments"`.execute(
    db,
  );
}
