import { sql, type Transaction } from "kysely";
import { deleteInBatches } from "../../db/clean-up.ts";
import type { Executor } from "../../db/compiled-query.ts";
import type { DatabaseKind } from "../../db/database-kind.ts";
import { isVisible } from "../../db/deleted-agents.ts";
import { lockRow } from "../../db/lock-row.ts";
import type { Db } from "../../db/open.ts";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { NoticeChannelRow, NoticeSettingsRow, PushSubscriptionRow } from "../../db/tables/notices.ts";
import type { RatingColumns } from "../../db/tables/ratings.ts";
import type { AgentRow, ConversationRow, Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { recordThreadHost } from "../../outbox/sent-hosts.ts";
import type { MailedMessage } from "./answer-mail.ts";
import type { MentionFacts } from "./notice-texts.ts";

export type NoticeStore = ReturnType<typeof createNoticeStore>;

/** The subject of a notice. */
export type NoticeSubject = {
  handoff: HandoffRow;
  agent: Pick<AgentRow, "name" | "widget" | "allowedOrigins" | "handoff" | "askRating" | "ratingQuestion">;
  conversation: Pick<
    ConversationRow,
    "id" | "linkVersion" | "title" | "userName" | "userEmail" | "context" | "assigneeId"
  > &
    Pick<RatingColumns, "ratingAskedAt" | "ratedAt" | "ratingCorrections">;
};

type Member = { organizationId: string; userId: string };
/** Writes the parts of a channel in the same transaction. */
type OnWrite = (trx: Transaction<Tables>) => Promise<void>;
type Choices = Pick<NoticeSettingsRow, "email" | "push">;

/** Reads and writes how members and team chats are notified. */
export function createNoticeStore(deps: Pick<Deps, "db" | "databaseKind">) {
  const { db } = deps;
  return { ...memberQueries(db), ...deviceQueries(db), ...channelQueries(deps), ...subjectQueries(db) };
}

function memberQueries(db: Db) {
  return {
    /** All notices are on until the member chooses otherwise. */
    async choices({ organizationId, userId }: Member): Promise<Choices> {
      const row = await db
        .selectFrom("noticeSettings")
        .select(["email", "push"])
        .where("organizationId", "=", organizationId)
        .where("userId", "=", userId)
        .executeTakeFirst();
      return row ?? { email: 1, push: 1 };
    },
    /** Members who want email, devices of members who want push, and enabled channels. */
    async countRecipients(organizationId: string): Promise<{ email: number; push: number; channels: number }> {
      const isOff = (way: "email" | "push") =>
        db
          .selectFrom("noticeSettings")
          .select("userId")
          .where("organizationId", "=", organizationId)
          .where(way, "=", 0);
      const count = sql<number>`cast(count(*) as bigint)`.as("n");
      const members = db.selectFrom("members").select(count).where("organizationId", "=", organizationId);
      const devices = db.selectFrom("pushSubscriptions").select(count).where("organizationId", "=", organizationId);
      const channels = db.selectFrom("noticeChannels").select(count).where("organizationId", "=", organizationId);
      const { n: email } = await members.where("userId", "not in", isOff("email")).executeTakeFirstOrThrow();
      const { n: push } = await devices.where("userId", "not in", isOff("push")).executeTakeFirstOrThrow();
      const { n: enabled } = await channels.where("isEnabled", "=", 1).executeTakeFirstOrThrow();
      return { email: Number(email), push: Number(push), channels: Number(enabled) };
    },
    async choose({ organizationId, userId }: Member, changes: Partial<Choices>): Promise<void> {
      await db
        .insertInto("noticeSettings")
        .values({ organizationId, userId, email: 1, push: 1, ...changes })
        .onConflict((conflict) =>
          Object.keys(changes).length === 0
            ? conflict.columns(["organizationId", "userId"]).doNothing()
            : conflict.columns(["organizationId", "userId"]).doUpdateSet(changes),
        )
        .execute();
    },
  };
}

function deviceQueries(db: Db) {
  const selectDevices = ({ organizationId, userId }: Member) =>
    db.selectFrom("pushSubscriptions").where("organizationId", "=", organizationId).where("userId", "=", userId);
  return {
    async devices(member: Member): Promise<PushSubscriptionRow[]> {
      return selectDevices(member).selectAll().orderBy("id").execute();
    },
    async device(member: Member, id: string): Promise<PushSubscriptionRow | undefined> {
      return selectDevices(member).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /**
     * Adds a browser, and removes the member's oldest ones beyond `max`. If the browser belonged to another member, it
     * is removed from that member, whose notices would otherwise appear in it.
     */
    async addDevice(row: PushSubscriptionRow, max: number): Promise<void> {
      const { organizationId, userId, endpoint } = row;
      await inTransaction(db, async (trx) => {
        await trx
          .deleteFrom("pushSubscriptions")
          .where("endpoint", "=", endpoint)
          .where((x) => x.or([x("userId", "<>", userId), x("organizationId", "=", organizationId)]))
          .execute();
        await trx.insertInto("pushSubscriptions").values(row).execute();
        const newest = trx
          .selectFrom("pushSubscriptions")
          .select("id")
          .where("organizationId", "=", organizationId)
          .where("userId", "=", userId)
          .orderBy("id", "desc")
          .limit(max);
        const newestIds = (await newest.execute()).map(({ id }) => id);
        await trx
          .deleteFrom("pushSubscriptions")
          .where("organizationId", "=", organizationId)
          .where("userId", "=", userId)
          .where("id", "not in", newestIds)
          .execute();
      });
    },
    /** Removes a browser whose subscription no longer exists at its push service. */
    async forgetDevice(executor: Executor, id: string): Promise<void> {
      await executor.executeQuery(db.deleteFrom("pushSubscriptions").where("id", "=", id).compile());
    },
    async deleteDevice({ organizationId, userId }: Member, id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom("pushSubscriptions")
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("userId", "=", userId)
        .executeTakeFirst();
      return Number(numDeletedRows) > 0;
    },
  };
}

function channelQueries({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  return {
    async channels(organizationId: string): Promise<NoticeChannelRow[]> {
      return db
        .selectFrom("noticeChannels")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .orderBy("id")
        .execute();
    },
    async channel(organizationId: string, id: string): Promise<NoticeChannelRow | undefined> {
      return db
        .selectFrom("noticeChannels")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("id", "=", id)
        .executeTakeFirst();
    },
    /**
     * Adds the channel unless the organization already has `max`. Locks the organization, so that two requests cannot
     * both use the last free slot.
     */
    async addChannel(row: NoticeChannelRow, max: number, onWrite: OnWrite): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", row.organizationId);
        const channels = trx.selectFrom("noticeChannels").select("id").where("organizationId", "=", row.organizationId);
        if ((await channels.limit(max).execute()).length >= max) return false;
        await trx.insertInto("noticeChannels").values(row).execute();
        await onWrite(trx);
        return true;
      });
    },
    async updateChannel(
      organizationId: string,
      id: string,
      { changes, onWrite }: { changes: Partial<NoticeChannelRow>; onWrite: OnWrite },
    ): Promise<NoticeChannelRow | undefined> {
      return inTransaction(db, async (trx) => {
        const row = await trx
          .updateTable("noticeChannels")
          .set({ id, ...changes })
          .where("organizationId", "=", organizationId)
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirst();
        if (row) await onWrite(trx);
        return row;
      });
    },
    /**
     * Deletes the threads of a bot first, in small transactions, because a channel can have a very large number of
     * them.
     */
    async deleteChannel(organizationId: string, id: string): Promise<boolean> {
      const channels = db.selectFrom("noticeChannels").select("id").where("organizationId", "=", organizationId);
      if (!(await channels.where("id", "=", id).executeTakeFirst())) return false;
      const deleteBatch = (trx: Transaction<Tables>, limit: number) =>
        deleteThreads(databaseKind, trx, { channelId: id, limit });
      await deleteInBatches(db, deleteBatch, THREADS_DELETED_AT_ONCE);
      return inTransaction(db, async (trx) => {
        // Delete again within this transaction, because threads can have been added in the meantime.
        await deleteBatch(trx, THREADS_DELETED_AT_ONCE);
        const deleted = await trx
          .deleteFrom("noticeChannels")
          .where("organizationId", "=", organizationId)
          .where("id", "=", id)
          .executeTakeFirst();
        return deleted.numDeletedRows > 0n;
      });
    },
    /** Stores the outcome of a notice for the dashboard. */
    async recordChannelOutcome(
      executor: Executor,
      id: string,
      { error, now }: { error: string | null; now: number },
    ): Promise<void> {
      const note = db.updateTable("noticeChannels").set({ lastError: error, lastSentAt: now }).where("id", "=", id);
      await executor.executeQuery(note.compile());
    },
  };
}

/** Deleting a thread also deletes the record of each of its posts. */
const THREADS_DELETED_AT_ONCE = 100;

/** Deletes some threads of a channel, and remembers where they were. @returns the number of deleted threads */
async function deleteThreads(
  databaseKind: DatabaseKind,
  trx: Transaction<Tables>,
  { channelId, limit }: { channelId: string; limit: number },
): Promise<number> {
  const threads = trx.selectFrom("teamChatThreads").select("id").where("channelId", "=", channelId).limit(limit);
  const ids = (await threads.execute()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await recordThreadHost({ databaseKind }, trx, { channelId, threadIds: ids });
  await trx.deleteFrom("teamChatThreads").where("id", "in", ids).execute();
  return ids.length;
}

/** The maximum number of messages that an email quotes. The newest are used. */
const MAX_MAILED = 60;
/** A member's message has at most 8,000 characters. The agent's can be much longer. */
const MAX_MAILED_CHARACTERS = 8_000;

function subjectQueries(db: Db) {
  return {
    /**
     * Undefined when the conversation was deleted or is in the trash. The delivery that names the conversation belongs to the
     * organization, so no other check is needed.
     */
    async subject(conversationId: string, handoffId: string): Promise<NoticeSubject | undefined> {
      const handoff = await db
        .selectFrom("handoffs")
        .selectAll()
        .where("id", "=", handoffId)
        .where("conversationId", "=", conversationId)
        .executeTakeFirst();
      if (!handoff) return undefined;
      const conversation = await db
        .selectFrom("conversations")
        .select(["id", "linkVersion", "title", "userName", "userEmail", "context", "assigneeId"])
        .select(["ratingAskedAt", "ratedAt", "ratingCorrections"])
        .where("id", "=", conversationId)
        .where("organizationId", "=", handoff.organizationId)
        .where(isVisible("conversations"))
        .executeTakeFirst();
      const agent = await db
        .selectFrom("agents")
        .select(["name", "widget", "allowedOrigins", "handoff", "askRating", "ratingQuestion"])
        .where("id", "=", handoff.agentId)
        .where("organizationId", "=", handoff.organizationId)
        .executeTakeFirst();
      return conversation && agent && { handoff, conversation, agent };
    },
    /**
     * Records that the email that asks for a rating is about to be sent.
     * @returns false if that was recorded before, so it may have been sent
     */
    async claimRatingMail({ id, organizationId }: Pick<HandoffRow, "id" | "organizationId">, now: number) {
      const { numUpdatedRows } = await db
        .updateTable("handoffs")
        .set({ ratingMailedAt: now })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("ratingMailedAt", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** The number of emails that asked this address for a rating since then, in any spelling of it. */
    async countRatingMails(organizationId: string, address: string, since: number): Promise<number> {
      const { n } = await db
        .selectFrom("handoffs")
        .select((x) => x.fn.countAll<number>().as("n"))
        .where("organizationId", "=", organizationId)
        .where("ratingMailedAt", ">", since)
        .where(sql`lower(email)`, "=", address.toLowerCase())
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    /** Records that the email was not sent and can be sent later. */
    async releaseRatingMail({ id, organizationId }: Pick<HandoffRow, "id" | "organizationId">) {
      await db
        .updateTable("handoffs")
        .set({ ratingMailedAt: null })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .execute();
    },
    /** Undefined when the note or its conversation was deleted, or is in the trash. */
    async mention(organizationId: string, noteId: string): Promise<MentionFacts | undefined> {
      return db
        .selectFrom("conversationNotes")
        .innerJoin("conversations", "conversations.id", "conversationNotes.conversationId")
        .innerJoin("agents", "agents.id", "conversations.agentId")
        .select(["conversations.id as conversationId", "conversations.agentId", "agents.name as agentName"])
        .select(["conversations.title", "conversationNotes.authorName", "conversationNotes.text"])
        .where("conversationNotes.id", "=", noteId)
        .where("conversationNotes.organizationId", "=", organizationId)
        .where(isVisible("conversations"))
        .executeTakeFirst();
    },
    /** Undefined when the agent was deleted. */
    async agentName(organizationId: string, agentId: string): Promise<string | undefined> {
      const agent = await db
        .selectFrom("agents")
        .select("name")
        .where("id", "=", agentId)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return agent?.name;
    },
    /** The newest messages up to a position, oldest first. */
    async messagesUntil(conversationId: string, position: number): Promise<MailedMessage[]> {
      const rows = await db
        .selectFrom("messages")
        .select(["id", "position", "role", "authorName"])
        .select(sql<string>`substr(content, 1, ${sql.lit(MAX_MAILED_CHARACTERS)})`.as("content"))
        .where("conversationId", "=", conversationId)
        .where("position", "<=", position)
        .where(({ or, eb, exists, selectFrom }) =>
          or([
            eb("content", "<>", ""),
            exists(selectFrom("attachments").select("id").whereRef("attachments.messageId", "=", "messages.id")),
          ]),
        )
        // The email would show what a client wrote as the agent's words.
        .where("isSupplied", "=", 0)
        .orderBy("position", "desc")
        .limit(MAX_MAILED)
        .execute();
      return rows.reverse();
    },
  };
}
