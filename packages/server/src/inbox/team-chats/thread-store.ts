import { maxTeams } from "@foyer/contract";
import type { Transaction } from "kysely";
import { sql } from "kysely";
import type { Executor } from "../../db/compiled-query.ts";
import type { TeamChatPostRow, TeamChatRow, TeamChatThreadRow } from "../../db/tables/team-chats.ts";
import type { Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { newId } from "../../ids.ts";
import type { LeasedDelivery, NewDelivery } from "../../outbox/delivery-queue.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import type { Assignee } from "./command-arguments.ts";
import type { IncomingMessage } from "./team-chat.ts";

type Trx = Transaction<Tables>;
type NewPost = Pick<TeamChatPostRow, "kind"> &
  Partial<Pick<TeamChatPostRow, "subjectId" | "text" | "replyTo" | "place">>;

/** A post with the data needed to send it. */
export type PostToSend = { post: TeamChatPostRow; chat: TeamChatRow; thread: TeamChatThreadRow | null };
export type ThreadStore = ReturnType<typeof createThreadStore>;

/** The maximum number of members among whom one is found by name. */
const MAX_MEMBERS = 500;

/**
 * Threads of conversations in team chats, and their pending posts. The posts of a conversation are sent in order: only
 * the oldest one has a delivery in the outbox, and recording its outcome creates the delivery of the next. Both lock
 * the thread, so no post is left without a delivery.
 */
export function createThreadStore({ db }: Pick<Deps, "db">, outbox: Outbox) {
  async function insertPost(
    trx: Trx,
    row: TeamChatPostRow,
    { conversationId, isNext }: { conversationId: string | undefined; isNext: boolean },
  ) {
    await trx.insertInto("teamChatPosts").values(row).execute();
    if (isNext) await outbox.queue.insert(trx, [await createDelivery(trx, row, conversationId)], 0);
  }

  const selectMessage = (channelId: string, messageId: string) =>
    db
      .selectFrom("teamChatMessages")
      .select(["messageId", "threadId"])
      .where("channelId", "=", channelId)
      .where("messageId", "=", messageId);
  const selectThreads = (channelId: string) =>
    db.selectFrom("teamChatThreads").selectAll().where("channelId", "=", channelId);

  return {
    /** Adds a post to a conversation's thread. */
    async post(trx: Trx, { id, channelId, conversationId }: TeamChatThreadRow, post: NewPost): Promise<void> {
      const { lastPost } = await trx
        .updateTable("teamChatThreads")
        .set({ lastPost: sql`"lastPost" + 1` })
        .where("id", "=", id)
        .returning("lastPost")
        .executeTakeFirstOrThrow();
      const waiting = await nextPost(trx, id);
      await insertPost(trx, createPostRow(channelId, { ...post, threadId: id, number: lastPost }), {
        conversationId,
        isNext: !waiting,
      });
    },
    /** Adds a reply to a message that belongs to no conversation. */
    async postOutside(trx: Trx, channelId: string, post: NewPost): Promise<void> {
      await insertPost(trx, createPostRow(channelId, { ...post, threadId: null, number: 1 }), {
        conversationId: undefined,
        isNext: true,
      });
    },
    /** Returns the conversation's thread in this chat, and creates the thread if it does not exist. */
    async ensureThread(trx: Trx, channelId: string, conversationId: string): Promise<TeamChatThreadRow> {
      const thread = { id: newId("thread"), channelId, conversationId, thread: null, lastPost: 0 };
      await trx
        .insertInto("teamChatThreads")
        .values(thread)
        .onConflict((conflict) => conflict.columns(["conversationId", "channelId"]).doNothing())
        .execute();
      return trx
        .selectFrom("teamChatThreads")
        .selectAll()
        .where("conversationId", "=", conversationId)
        .where("channelId", "=", channelId)
        .executeTakeFirstOrThrow();
    },
    async listThreads(trx: Trx, conversationId: string): Promise<TeamChatThreadRow[]> {
      return trx
        .selectFrom("teamChatThreads")
        .selectAll()
        .where("conversationId", "=", conversationId)
        .orderBy("id")
        .execute();
    },
    /** The chats of the organization's enabled channels. */
    async listChats(trx: Trx, organizationId: string): Promise<Pick<TeamChatRow, "channelId">[]> {
      return trx
        .selectFrom("teamChats")
        .select("channelId")
        .where("organizationId", "=", organizationId)
        .where("dueAt", "is not", null)
        .orderBy("channelId")
        .execute();
    },
    /** Reads a post with the data needed to send it. @returns null when the post or its channel was deleted */
    async toSend(postId: string): Promise<PostToSend | null> {
      const post = await db.selectFrom("teamChatPosts").selectAll().where("id", "=", postId).executeTakeFirst();
      if (!post) return null;
      const selectChat = db.selectFrom("teamChats").selectAll().where("channelId", "=", post.channelId);
      const selectThread = db
        .selectFrom("teamChatThreads")
        .selectAll()
        .where("id", "=", post.threadId ?? "");
      const [chat, thread] = await Promise.all([selectChat.executeTakeFirst(), selectThread.executeTakeFirst()]);
      return chat ? { post, chat, thread: thread ?? null } : null;
    },
    /** Whether the conversation's message was sent from this thread. */
    async isFromThread(threadId: string, sentMessageId: string): Promise<boolean> {
      const message = await db
        .selectFrom("teamChatMessages")
        .select("messageId")
        .where("threadId", "=", threadId)
        .where("sentMessageId", "=", sentMessageId)
        .executeTakeFirst();
      return message !== undefined;
    },
    /** Records when a call to the platform started, until its outcome is known. Null clears the record. */
    async markStarted(postId: string, startedAt: number | null): Promise<void> {
      await db.updateTable("teamChatPosts").set({ startedAt }).where("id", "=", postId).execute();
    },
    /** Sets the platform's id of a thread; null after its topic was deleted. */
    async setThread(threadId: string, thread: string | null): Promise<void> {
      await db.updateTable("teamChatThreads").set({ thread }).where("id", "=", threadId).execute();
    },
    async setChatId(channelId: string, chatId: string): Promise<void> {
      await db.updateTable("teamChats").set({ chatId }).where("channelId", "=", channelId).execute();
    },
    /** Locks a thread, so that no post is added to it until the end of the transaction. */
    async lock(trx: Trx, threadId: string): Promise<void> {
      await trx
        .updateTable("teamChatThreads")
        .set((x) => ({ lastPost: x.ref("lastPost") }))
        .where("id", "=", threadId)
        .execute();
    },
    /** Stores the thread that the first post of a conversation started, in a chat without topics. */
    async beginThread(trx: Trx, threadId: string, thread: string): Promise<void> {
      await trx
        .updateTable("teamChatThreads")
        .set({ thread })
        .where("id", "=", threadId)
        .where("thread", "is", null)
        .execute();
    },
    /** Inserts the delivery of the thread's next pending post, if there is one, and leases it to the caller. */
    async releaseNext(trx: Trx, { threadId }: Pick<TeamChatPostRow, "threadId">): Promise<LeasedDelivery[]> {
      const next = threadId === null ? undefined : await nextPost(trx, threadId);
      if (!next) return [];
      const { conversationId } = await trx
        .selectFrom("teamChatThreads")
        .select("conversationId")
        .where("id", "=", next.threadId)
        .executeTakeFirstOrThrow();
      const delivery = await createDelivery(trx, next, conversationId);
      await outbox.queue.insert(trx, [delivery]);
      return [{ ...delivery, conversationId, dueAt: 0 }];
    },
    /** Records the outcome of a post in its channel, for the dashboard: when it was sent, or why it failed. */
    async recordOutcome(trx: Trx, channelId: string, problem: string | null): Promise<void> {
      const noted = problem === null ? { lastError: null, lastSentAt: Date.now() } : { lastError: problem };
      await trx.updateTable("noticeChannels").set(noted).where("id", "=", channelId).execute();
    },
    /** Whether the message has already been handled. */
    async isKnown(channelId: string, messageId: string): Promise<boolean> {
      return (await selectMessage(channelId, messageId).executeTakeFirst()) !== undefined;
    },
    /** Finds the conversation's thread of a message, by the platform's thread or by the message that it replies to. */
    async findThread(channelId: string, message: IncomingMessage): Promise<TeamChatThreadRow | undefined> {
      const { thread, replyTo } = message;
      if (thread !== null) {
        const found = await selectThreads(channelId).where("thread", "=", thread).executeTakeFirst();
        if (found) return found;
      }
      if (replyTo === null) return undefined;
      const repliedTo = await selectMessage(channelId, replyTo).executeTakeFirst();
      if (!repliedTo?.threadId) return undefined;
      return selectThreads(channelId).where("id", "=", repliedTo.threadId).executeTakeFirst();
    },
    /**
     * Records that a message of the platform was handled. Throws a duplicate key error if the message was already
     * handled.
     */
    async remember(
      trx: Executor,
      channelId: string,
      row: { messageId: string; threadId: string | null; sentMessageId?: string },
    ): Promise<void> {
      const { messageId, threadId, sentMessageId = null } = row;
      const values = { channelId, messageId, threadId, sentMessageId, createdAt: Date.now() };
      await trx.executeQuery(db.insertInto("teamChatMessages").values(values).compile());
    },
    /** The members and teams of the organization, to which a conversation can be assigned by name. */
    async listAssignees(organizationId: string): Promise<Assignee[]> {
      const members = await db
        .selectFrom("members")
        .innerJoin("users", "users.id", "members.userId")
        .select(["users.id", "users.name", "users.email"])
        .where("members.organizationId", "=", organizationId)
        .orderBy("members.id")
        .limit(MAX_MEMBERS)
        .execute();
      const teams = await db
        .selectFrom("teams")
        .select(["id", "name"])
        .where("organizationId", "=", organizationId)
        .orderBy("id")
        .limit(maxTeams)
        .execute();
      return [
        ...members.map((member) => ({ ...member, kind: "member" as const })),
        ...teams.map((team) => ({ ...team, kind: "team" as const, email: null })),
      ];
    },
    /** Finds the member that a person in the chat is linked to, if the member still belongs to the organization. */
    async findMember(
      { channelId, organizationId }: Pick<TeamChatRow, "channelId" | "organizationId">,
      senderId: string,
    ) {
      return db
        .selectFrom("teamChatMembers")
        .innerJoin("members", "members.userId", "teamChatMembers.userId")
        .innerJoin("users", "users.id", "members.userId")
        .select(["users.id", "users.name"])
        .where("teamChatMembers.channelId", "=", channelId)
        .where("teamChatMembers.senderId", "=", senderId)
        .where("members.organizationId", "=", organizationId)
        .executeTakeFirst();
    },
  };
}

/** Reads the oldest pending post of a thread. */
function nextPost(trx: Trx, threadId: string): Promise<TeamChatPostRow | undefined> {
  return trx
    .selectFrom("teamChatPosts")
    .selectAll()
    .where("threadId", "=", threadId)
    .where("state", "=", "pending")
    .orderBy("number")
    .limit(1)
    .executeTakeFirst();
}

function createPostRow(
  channelId: string,
  post: NewPost & Pick<TeamChatPostRow, "threadId" | "number">,
): TeamChatPostRow {
  return {
    id: newId("post"),
    channelId,
    threadId: post.threadId,
    number: post.number,
    kind: post.kind,
    subjectId: post.subjectId ?? null,
    text: post.text ?? null,
    replyTo: post.replyTo ?? null,
    place: post.place ?? null,
    sentParts: 0,
    startedAt: null,
    state: "pending",
    createdAt: Date.now(),
  };
}

async function createDelivery(trx: Trx, { id, channelId }: TeamChatPostRow, conversationId: string | undefined) {
  const channel = trx.selectFrom("noticeChannels").select("organizationId").where("id", "=", channelId);
  const { organizationId } = await channel.executeTakeFirstOrThrow();
  return {
    id: newId("delivery"),
    organizationId,
    kind: "team_chat",
    submissionId: null,
    webhookId: null,
    eventId: null,
    ...(conversationId === undefined ? {} : { conversationId }),
    position: 0,
    purpose: "notice",
    type: "team_chat",
    target: JSON.stringify({ postId: id }),
    // Using the channel as the host limits concurrency per chat. All bots of a platform share its host, and a slow chat
    // must not delay the others.
    host: channelId,
    state: "pending",
    attempts: 0,
    attemptsBefore: 0,
    fence: 0,
    createdAt: Date.now(),
  } as const satisfies NewDelivery & { conversationId?: string };
}
