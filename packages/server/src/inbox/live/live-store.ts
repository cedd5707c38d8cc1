import { maxInboxTotal } from "@foyer/contract/rules/limits";
import { type RawBuilder, sql } from "kysely";
import { isVisible } from "../../db/deleted-agents.ts";
import type { Db } from "../../db/open.ts";
import type { Instant } from "../../db/tables/column-types.ts";

/**
 * The maximum number of changes that one query reads. If there are more, the older ones were read by an earlier poll.
 */
const MAX_CHANGES = 2_000;
const MAX_MEMBERS = 500;

/** The columns that a version consists of. */
type Versioned = { id: string; changedAt: Instant; epoch: number; messageCount: number };

/** Returns a text that differs after every change that live streams show, except for the end of a reply. */
export const formatVersion = ({ changedAt, epoch, messageCount }: Versioned): string =>
  `${changedAt}:${epoch}:${messageCount}`;

/** A conversation that is waiting or with a member. */
export type OpenConversation = { id: string; changedAt: Instant; version: string };

/** How many conversations are unread, open, snoozed and resolved, at most `maxInboxTotal` each. */
export type InboxTotals = { unread: number; open: number; snoozed: number; resolved: number };

/** The queries of the live streams. All of them use an index, because they run repeatedly while a stream is open. */
export function createLiveStore(db: Db) {
  /** The first condition repeats the condition of the partial index, so that the index can be used. */
  const selectChanged = (since: Instant) =>
    db
      .selectFrom("conversations")
      .where(sql.ref("conversations.changedAt"), ">", sql.lit(0))
      .where("changedAt", ">=", since)
      .orderBy("changedAt", "desc")
      .limit(MAX_CHANGES);

  return {
    /** The conversations of these organizations that changed since this time. */
    async changedIn(organizationIds: readonly string[], since: Instant) {
      if (organizationIds.length === 0) return [];
      return selectChanged(since)
        .select(["id", "organizationId", "changedAt", "epoch", "messageCount"])
        .where("organizationId", "in", organizationIds)
        .execute();
    },
    /** The oldest change comes first. At most the newest 2,000 changes are returned. */
    async changedSince(organizationId: string, since: Instant): Promise<string[]> {
      const rows = await selectChanged(since).select("id").where("organizationId", "=", organizationId).execute();
      return rows.map(({ id }) => id).reverse();
    },
    /** The versions of the conversations that still exist. */
    async versions(organizationIds: readonly string[], ids: readonly string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom("conversations")
        .select(["id", "changedAt", "epoch", "messageCount"])
        .where("organizationId", "in", organizationIds)
        .where("id", "in", ids)
        .where(isVisible("conversations"))
        .execute();
      return new Map(rows.map((row) => [row.id, formatVersion(row)]));
    },
    /** The conversations that are waiting or with a member. At most those of the newest 2,000 changes. */
    async openConversations(organizationId: string): Promise<OpenConversation[]> {
      const rows = await db
        .selectFrom("conversations")
        .select(["id", "changedAt", "epoch", "messageCount"])
        .where("organizationId", "=", organizationId)
        .where(isOpen)
        .where(isVisible("conversations"))
        .orderBy("changedAt", "desc")
        .limit(MAX_CHANGES)
        .execute();
      return rows.map((row) => ({ id: row.id, changedAt: row.changedAt, version: formatVersion(row) }));
    },
    async conversation(organizationId: string, id: string) {
      return db
        .selectFrom("conversations")
        .select(["id", "handler", "epoch", "assigneeId", "changedAt", "messageCount"])
        .select(lastPosition)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where(isVisible("conversations"))
        .executeTakeFirst();
    },
    /** The conversations with their newest message that has text. */
    async entries(organizationId: string, ids: readonly string[]) {
      return db
        .selectFrom("conversations")
        .leftJoin("messages", (join) => join.on("messages.id", "=", lastMessage))
        .select(["conversations.id", "conversations.agentId", "title", "userName", "userEmail", "changedAt"])
        .select(["handler", "epoch", "assigneeId", "messageCount", "lastMessagePreview"])
        .select(["messages.id as messageId", "role", "authorId", "authorName", "messages.createdAt as sentAt"])
        .where("conversations.organizationId", "=", organizationId)
        .where("conversations.id", "in", ids)
        .where(isVisible("conversations"))
        .orderBy("changedAt")
        .execute();
    },
    counts: (organizationId: string) => countOpenConversations(db, organizationId),
    totals: (organizationId: string) => countTotals(db, organizationId),
    activity: (organizationId: string, ids: readonly string[]) => readActivity(db, organizationId, ids),
    members: (organizationId: string) => listMembers(db, organizationId),
  };
}

/** Written as a literal, because SQLite uses a partial index only for a query with the same condition. */
const isOpen = sql<boolean>`handler <> 'agent'`;

/** Returns the number of conversations that each member has and, under the key null, the number that are waiting. */
async function countOpenConversations(db: Db, organizationId: string) {
  return db
    .selectFrom("conversations")
    .select(["handler", "assigneeId"])
    .select((x) => x.fn.countAll<number>().as("count"))
    .where("organizationId", "=", organizationId)
    .where(isOpen)
    .where(isVisible("conversations"))
    .groupBy(["handler", "assigneeId"])
    .execute();
}

/**
 * The numbers of unread, open, snoozed and resolved conversations. Test chats of members are never unread. Each count stops at `maxInboxTotal`: it reads at most as many
 * entries of a partial index, however many conversations the organization has.
 */
async function countTotals(db: Db, organizationId: string): Promise<InboxTotals> {
  const count = (condition: RawBuilder<boolean>) => {
    const found = db
      .selectFrom("conversations")
      .select(sql.lit(1).as("found"))
      .where("organizationId", "=", organizationId)
      .where(condition)
      .where(isVisible("conversations"))
      .limit(maxInboxTotal);
    return db.selectFrom(found.as("found")).select((x) => x.fn.countAll<number>().as("count"));
  };
  const row = await db
    .selectNoFrom([
      count(sql<boolean>`"lastMessageAt" > coalesce("readAt", 0) and "isTest" = 0`).as("unread"),
      count(sql<boolean>`status = 'open'`).as("open"),
      count(sql<boolean>`status = 'snoozed'`).as("snoozed"),
      count(sql<boolean>`status = 'resolved'`).as("resolved"),
    ])
    .executeTakeFirst();
  const { unread = 0, open = 0, snoozed = 0, resolved = 0 } = row ?? {};
  return { unread: Number(unread), open: Number(open), snoozed: Number(snoozed), resolved: Number(resolved) };
}

/** What lists show of these conversations. */
async function readActivity(db: Db, organizationId: string, ids: readonly string[]) {
  return db
    .selectFrom("conversations")
    .select(["id", "agentId", "title", "userName", "userEmail", "isTest", "handler", "messageCount", "createdAt"])
    .select(["lastMessageRole", "lastMessagePreview", "lastMessageAt"])
    .where("organizationId", "=", organizationId)
    .where("id", "in", ids)
    .where(isVisible("conversations"))
    .execute();
}

async function listMembers(db: Db, organizationId: string) {
  return db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select(["users.id", "users.name", "members.isAway"])
    .where("members.organizationId", "=", organizationId)
    .orderBy("members.id")
    .limit(MAX_MEMBERS)
    .execute();
}

export type LiveStore = ReturnType<typeof createLiveStore>;

const lastPosition = sql<number>`coalesce((select max(position) from messages
  where messages."conversationId" = conversations.id), -1)`.as("lastPosition");

const lastMessage = sql<string>`(select last.id from messages as last
  where last."conversationId" = conversations.id and last.content <> '' order by last.position desc limit 1)`;
