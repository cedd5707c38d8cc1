import { type ChatPlatformName, chatPlatforms } from "@foyer/contract/rules/chat-platforms";
import { sql, type Transaction } from "kysely";
import type { Executor } from "../db/compiled-query.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";

/** The host to which the bots of a team chat post. */
export const platformHost = (platform: ChatPlatformName): string => new URL(chatPlatforms[platform].apiUrl).host;

/**
 * Whether a delivery may have reached its receiver: an attempt was recorded, or a process has started one, possibly
 * before it ended unexpectedly. Deliveries that wait for a submission's webhook are also leased, but have not been
 * sent.
 */
export const mayHaveArrived = sql<boolean>`(deliveries.attempts > 0
  or (deliveries."isLeased" = 1 and deliveries.state <> 'waiting'))`;

/**
 * Selects deliveries that are about to be deleted or sent to another host, by the ids of their events or by their own
 * ids.
 */
type DeliverySelector = {
  column: "eventId" | "id";
  ids: readonly string[];
  /** a host to which the receiver redirects the deliveries; their own hosts by default */
  host?: string;
};

/**
 * Records which hosts received a submission, or the events of a conversation or submission, because the deliveries that
 * prove it are about to be deleted, changed or redirected. The receipt of an erasure lists these hosts. It lists the recipients of
 * emails from another source.
 */
export async function recordSentHosts(
  { db, databaseKind }: Pick<Deps, "db" | "databaseKind">,
  trx: Executor,
  { column, ids, host }: DeliverySelector,
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
  for (const { owner, table, id, which: condition } of owners) {
    // The lock waits for an owner that is being deleted, and the owner is then skipped.
    const lock = databaseKind === "postgres" ? sql`for key share of owner` : sql``;
    const insert = sql`insert into "sentHosts" (${sql.ref(owner)}, host)
      select owner.id, ${host === undefined ? sql`deliveries.host` : sql`cast(${host} as text)`} from deliveries
      left join events on events.id = deliveries."eventId"
      join ${sql.table(table)} as owner on owner.id = ${id}
      where ${sql.ref(`deliveries.${column}`)} in (${sql.join(ids)}) and ${mayHaveArrived}
        and deliveries.type <> 'email' and ${condition}
      ${lock} on conflict do nothing`;
    await trx.executeQuery(insert.compile(db));
  }
}

/**
 * Records who received the emails about submissions, because they are about to be sent to other recipients. Call it
 * while the submissions are locked. Confirmations are left out, because they went to the visitor.
 */
export async function recordMailRecipients(
  { db }: Pick<Deps, "db">,
  trx: Executor,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const mails = db
    .selectFrom("deliveries")
    .select(["submissionId", "target"])
    .where("id", "in", ids)
    .where("type", "=", "email")
    .where("purpose", "<>", "confirmation")
    .where("submissionId", "is not", null)
    .where(mayHaveArrived);
  const { rows } = await trx.executeQuery(mails.compile());
  for (const { submissionId, target } of rows) {
    const { to = [], recipientIds = [] }: { to?: string[]; recipientIds?: string[] } = JSON.parse(target);
    for (const host of to) {
      const insert = db.insertInto("sentHosts").values({ conversationId: null, submissionId, host });
      await trx.executeQuery(insert.onConflict((conflict) => conflict.doNothing()).compile());
    }
    if (recipientIds.length === 0) continue;
    const insertMembers = sql`insert into "sentHosts" ("submissionId", host)
      select cast(${submissionId} as text), email from users where id in (${sql.join(recipientIds)}) on conflict do nothing`;
    await trx.executeQuery(insertMembers.compile(db));
  }
}

/** Records where the bot of a channel posted about conversations, because these threads are about to be deleted. */
export async function recordThreadHost(
  { databaseKind }: Pick<Deps, "databaseKind">,
  trx: Transaction<Tables>,
  { channelId, threadIds }: { channelId: string; threadIds: readonly string[] },
): Promise<void> {
  const chat = trx.selectFrom("teamChats").select("platform").where("channelId", "=", channelId);
  const teamChat = await chat.executeTakeFirst();
  if (!teamChat || threadIds.length === 0) return;
  // The lock waits for a conversation that is being deleted, and the conversation is then skipped.
  const lock = databaseKind === "postgres" ? sql`for key share of owner` : sql``;
  await sql`insert into "sentHosts" ("conversationId", host)
    select owner.id, ${platformHost(teamChat.platform)} from "teamChatThreads" as thread
    join conversations as owner on owner.id = thread."conversationId"
    where thread.id in (${sql.join(threadIds)}) and exists (
      select 1 from deliveries
      where "conversationId" = owner.id and host = ${channelId} and ${mayHaveArrived}
    ) ${lock} on conflict do nothing`.execute(trx);
}
