import { sql, type Transaction } from "kysely";
import type { DatabaseKind } from "../db/database-kind.ts";
import type { Tables } from "../db/tables.ts";

/** The hosts to which bots of team chats post. */
export const platformHosts = { telegram: "api.telegram.org", slack: "slack.com" } as const;

/** Deliveries that are about to be deleted: those of these events, or those with these ids. */
type Leaving = { column: "eventId" | "id"; ids: readonly string[] };

/**
 * Records which hosts received the events of a conversation or a submission, because the deliveries that show it are
 * deleted. An erasure lists these hosts in its receipt.
 */
export async function keepSentHosts(
  trx: Transaction<Tables>,
  kind: DatabaseKind,
  { column, ids }: Leaving,
): Promise<void> {
  if (ids.length === 0) return;
  const owners = [
    { owner: "submissionId", table: "submissions", which: sql`true` },
    { owner: "conversationId", table: "conversations", which: sql`events."submissionId" is null` },
  ] as const;
  for (const { owner, table, which } of owners) {
    // The lock waits for an owner that is being deleted, and then leaves it out.
    const lock = kind === "postgres" ? sql`for key share of owner` : sql``;
    await sql`insert into "sentHosts" (${sql.ref(owner)}, host)
      select owner.id, deliveries.host from deliveries
      join events on events.id = deliveries."eventId"
      join ${sql.table(table)} as owner on owner.id = ${sql.ref(`events.${owner}`)}
      where ${sql.ref(`deliveries.${column}`)} in (${sql.join(ids)}) and deliveries.attempts > 0 and ${which}
      ${lock} on conflict do nothing`.execute(trx);
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
