import { sql, type Transaction } from "kysely";
import type { Executor } from "../db/compiled-query.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";

/** The hosts to which bots of team chats post. */
export const platformHosts = { telegram: "api.telegram.org", slack: "slack.com" } as const;

/** Deliveries that are about to be deleted or sent to another host: those of these events, or those with these ids. */
type Leaving = { column: "eventId" | "id"; ids: readonly string[] };

/**
 * Records which hosts received a submission, or the events of a conversation or a submission, because the deliveries
 * that show it are deleted or changed. An erasure lists these hosts in its receipt, and the recipients of emails by
 * other means.
 */
export async function keepSentHosts(
  { db, databaseKind }: Pick<Deps, "db" | "databaseKind">,
  trx: Executor,
  { column, ids }: Leaving,
): Promise<void> {
  if (ids.length === 0) return;
  const owners = [
    {
      owner: "submissionId",
      table: "submissions",
      id: sql`coalesce(deliveries."submissionId", events."submissionId")`,
      which: sql`true`,
    },
    {
      owner: "conversationId",
      table: "conversations",
      id: sql`events."conversationId"`,
      which: sql`events."submissionId" is null`,
    },
  ] as const;
  for (const { owner, table, id, which } of owners) {
    // The lock waits for an owner that is being deleted, and then leaves it out.
    const lock = databaseKind === "postgres" ? sql`for key share of owner` : sql``;
    const insert = sql`insert into "sentHosts" (${sql.ref(owner)}, host)
      select owner.id, deliveries.host from deliveries
      left join events on events.id = deliveries."eventId"
      join ${sql.table(table)} as owner on owner.id = ${id}
      where ${sql.ref(`deliveries.${column}`)} in (${sql.join(ids)}) and deliveries.attempts > 0
        and deliveries.type <> 'email' and ${which}
      ${lock} on conflict do nothing`;
    await trx.executeQuery(insert.compile(db));
  }
}

/** Records where the bot of a channel posted about conversations, because the channel is about to be deleted. */
export async function keepHostOfChannel(trx: Transaction<Tables>, channelId: string): Promise<void> {
  const chat = trx.selectFrom("teamChats").select("platform").where("channelId", "=", channelId);
  const row = await chat.executeTakeFirst();
  if (!row) return;
  await sql`insert into "sentHosts" ("conversationId", host)
    select "conversationId", ${platformHosts[row.platform]} from "teamChatThreads" as thread
    where "channelId" = ${channelId} and exists (
      select 1 from deliveries
      where "conversationId" = thread."conversationId" and host = ${channelId} and attempts > 0
    ) on conflict do nothing`.execute(trx);
}
