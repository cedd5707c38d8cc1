import type { TeamChatRow } from "../../db/team-chat-tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { AttemptResult, CompletedAttempt } from "../../outbox/attempts.ts";
import type { LeasedDelivery } from "../../outbox/delivery-queue.ts";
import type { DeliveryHandler, Outbox, Postponed } from "../../outbox/outbox.ts";
import { createFailure, delivered } from "../../outbox/send-answer.ts";
import { splitText } from "./chat-text.ts";
import { repeatedNotice, textOfPost, titleOfThread } from "./post-text.ts";
import { type Posted, type TeamChat, TeamChatError } from "./team-chat.ts";
import type { PostToSend, ThreadStore } from "./thread-store.ts";

/** The maximum number of posts for one long text. */
const MAX_PARTS = 4;
const ENDING = "\n\n(Shortened. The whole text is in the inbox.)";

type Parts = { store: ThreadStore; outbox: Outbox; open(chat: TeamChatRow): TeamChat };

/** The result of an attempt. `isLastPart` means that the whole text has been posted. */
type Sent = { toSend: PostToSend; posted: Posted | null; isLastPart: boolean };

/** Sends posts to team chats, one at a time for each conversation. */
export function createPostHandler(
  { db, config }: Pick<Deps, "db" | "config">,
  { store, outbox, open }: Parts,
): DeliveryHandler {
  const sent = new WeakMap<LeasedDelivery, Sent>();
  /** The time until which the platform asked us not to send to a chat, by chat. */
  const pauses = new Map<string, number>();

  async function threadFor(chat: TeamChat, { chat: row, thread, post }: PostToSend, signal: AbortSignal) {
    if (!thread) return post.place;
    if (thread.thread !== null || row.hasTopics === 0) return thread.thread;
    const topic = await chat.createTopic(await titleOfThread(db, thread.conversationId), signal);
    await store.setThread(thread.id, topic);
    return topic;
  }

  async function send(delivery: LeasedDelivery, toSend: PostToSend, signal: AbortSignal): Promise<AttemptResult> {
    const { post, chat: row } = toSend;
    const chat = open(row);
    const source = { db, baseUrl: config.baseUrl, commandPrefix: chat.commandPrefix, quote: chat.quote };
    const text = await textOfPost(source, toSend);
    if (text === null) {
      sent.set(delivery, { toSend, posted: null, isLastPart: true });
      return delivered;
    }
    const notice = repeatedNotice(post);
    const parts = splitText(text, { max: chat.maxText - notice.length, maxParts: MAX_PARTS, ending: ENDING });
    const thread = await threadFor(chat, toSend, signal);
    await store.markStarted(post.id, Date.now());
    const posted = await chat.post(
      { text: notice + (parts[post.sentParts] ?? ENDING), thread, ...(post.replyTo ? { replyTo: post.replyTo } : {}) },
      signal,
    );
    sent.set(delivery, { toSend, posted, isLastPart: post.sentParts + 1 >= parts.length });
    return delivered;
  }

  /** The result of a call that the platform rejected. */
  async function explain(error: unknown, toSend: PostToSend, signal: AbortSignal): Promise<AttemptResult | Postponed> {
    if (signal.aborted || !(error instanceof TeamChatError)) throw error;
    const { channelId } = toSend.chat;
    if (error.isRefused) await store.markStarted(toSend.post.id, null);
    if (error.problem === "busy") {
      pauses.set(channelId, Date.now() + error.retryAfterMs);
      return { postponedMs: error.retryAfterMs };
    }
    if (error.problem === "no_topic" && toSend.thread) await store.setThread(toSend.thread.id, null);
    if (error.problem === "moved" && error.chatId !== undefined) await store.setChatId(channelId, error.chatId);
    const answer = { ...createFailure("Not accepted by the team chat", error.message), status: error.status };
    return error.problem === "rejected" ? { ...answer, isFinal: true } : answer;
  }

  function pauseOf(channelId: string): number {
    const left = (pauses.get(channelId) ?? 0) - Date.now();
    if (left <= 0) pauses.delete(channelId);
    return left;
  }

  return {
    async open(delivery, signal) {
      const { postId }: { postId: string } = JSON.parse(delivery.target);
      const toSend = await store.toSend(postId);
      const deleted = "The channel was deleted or disabled.";
      if (!toSend || toSend.chat.dueAt === null) {
        return { send: async () => ({ ...createFailure("No channel", deleted), isFinal: true }) };
      }
      const { post, thread } = toSend;
      const isOwn = thread && post.subjectId && (await store.isFromThread(thread.id, post.subjectId));
      return {
        async send() {
          if (isOwn) {
            sent.set(delivery, { toSend, posted: null, isLastPart: true });
            return delivered;
          }
          const pauseMs = pauseOf(toSend.chat.channelId);
          if (pauseMs > 0) return { postponedMs: pauseMs };
          return send(delivery, toSend, signal).catch((error: unknown) => explain(error, toSend, signal));
        },
      };
    },
    record: (made) => inTransaction(db, (trx) => recordPost(trx, { store, outbox }, made, sent.get(made.delivery))),
  };
}

async function recordPost(
  trx: Parameters<ThreadStore["lock"]>[0],
  { store, outbox }: Pick<Parts, "store" | "outbox">,
  made: CompletedAttempt,
  sent: Sent | undefined,
): Promise<LeasedDelivery[]> {
  const { postId }: { postId: string } = JSON.parse(made.delivery.target);
  const post = await trx.selectFrom("teamChatPosts").selectAll().where("id", "=", postId).executeTakeFirst();
  const threadId = post?.threadId ?? null;
  if (threadId !== null) await store.lock(trx, threadId);
  const numbers = await outbox.attempts.settle(trx, [made]);
  if (!numbers.has(made.delivery.id) || !post) return [];
  const posts = trx.updateTable("teamChatPosts").where("id", "=", postId);
  const { state } = made.next;
  if (state === "failed") await posts.set({ state }).execute();
  if (state === "delivered") {
    const { channelId } = post;
    if (sent?.posted) await store.remember(trx, channelId, { messageId: sent.posted.messageId, threadId });
    if (sent?.posted && threadId !== null) await store.beginThread(trx, threadId, sent.posted.thread);
    if (!sent || sent.isLastPart) await trx.deleteFrom("teamChatPosts").where("id", "=", postId).execute();
    else await posts.set({ sentParts: post.sentParts + 1, startedAt: null }).execute();
  }
  await store.noteOutcome(trx, post.channelId, made.attempt.detail);
  if (threadId === null && state !== "pending") {
    // The posts of a conversation are deleted with it, but this post belongs to no conversation.
    await trx.deleteFrom("teamChatPosts").where("id", "=", postId).execute();
    await trx.deleteFrom("deliveries").where("id", "=", made.delivery.id).execute();
  }
  return state === "pending" ? [] : store.releaseNext(trx, post);
}
