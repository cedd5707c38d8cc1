import { chatPlatforms } from "@foyer/contract/rules/chat-platforms";
import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { TeamChatRow } from "../../db/tables/team-chats.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { AttemptResult, CompletedAttempt } from "../../outbox/attempts.ts";
import type { LeasedDelivery } from "../../outbox/delivery-queue.ts";
import type { DeliveryHandler, Outbox, Postponed } from "../../outbox/outbox.ts";
import { createFailure, delivered } from "../../outbox/send-response.ts";
import { splitText } from "./chat-text.ts";
import { createRepeatNotice, readThreadTitle, renderPost } from "./post-text.ts";
import { type Posted, type TeamChat, TeamChatError } from "./team-chat.ts";
import type { PostToSend, ThreadStore } from "./thread-store.ts";

/** The maximum number of posts for one long text. */
const MAX_PARTS = 4;
/** The visitor's newest pictures and files that are posted with a request. */
const MAX_FILES = 4;
const ENDING = "\n\n(Shortened. Read the full text in the inbox.)";

type Parts = {
  store: ThreadStore;
  outbox: Outbox;
  attachments: Pick<AttachmentService, "listOf" | "readFile">;
  open(chat: TeamChatRow): TeamChat;
};

/** The result of an attempt. `isLastPart` means that the whole text has been posted. */
type Sent = { toSend: PostToSend; posted: Posted | null; isLastPart: boolean };

/** Sends posts to team chats, one at a time for each conversation. */
export function createPostHandler(
  { db, config }: Pick<Deps, "db" | "config">,
  { store, outbox, attachments, open }: Parts,
): DeliveryHandler {
  const sent = new WeakMap<LeasedDelivery, Sent>();
  /** When posting to a rate-limited chat may resume, in milliseconds since 1970, by channel id. */
  const pauses = new Map<string, number>();

  async function ensureThread(chat: TeamChat, { chat: row, thread, post }: PostToSend, signal: AbortSignal) {
    if (!thread) return post.place;
    if (thread.thread !== null || row.hasTopics === 0) return thread.thread;
    const topic = await chat.createTopic(await readThreadTitle(db, thread.conversationId), signal);
    await store.setThread(thread.id, topic);
    return topic;
  }

  /** The pictures and files of a message, or the visitor's newest ones for a request. */
  async function listFiles({ post, thread }: PostToSend): Promise<AttachmentRow[]> {
    if (!thread || post.kind === "text" || post.kind === "target") return [];
    const all = await attachments.listOf(thread.conversationId);
    if (post.kind === "message") return all.filter(({ messageId }) => messageId === post.subjectId);
    return all.filter(({ uploaderId }) => uploaderId === null).slice(-MAX_FILES);
  }

  /** @returns null if the file was deleted */
  async function postFile(chat: TeamChat, row: AttachmentRow, place: { thread: string | null; signal: AbortSignal }) {
    const content = Buffer.concat(await Array.fromAsync(attachments.readFile(row.fileId)));
    if (content.length === 0) return null;
    const { name, type, width, height } = row;
    return chat.postFile({ name, type, width, height, content, thread: place.thread }, place.signal);
  }

  async function send(delivery: LeasedDelivery, toSend: PostToSend, signal: AbortSignal): Promise<AttemptResult> {
    const { post, chat: row } = toSend;
    const chat = open(row);
    const source = {
      db,
      baseUrl: config.baseUrl,
      commandPrefix: chatPlatforms[row.platform].commandPrefix,
      quote: chat.quote,
    };
    const text = await renderPost(source, toSend);
    if (text === null) {
      sent.set(delivery, { toSend, posted: null, isLastPart: true });
      return delivered;
    }
    const notice = createRepeatNotice(post);
    const parts = splitText(text, { max: chat.maxText - notice.length, maxParts: MAX_PARTS, ending: ENDING });
    const thread = await ensureThread(chat, toSend, signal);
    const files = await listFiles(toSend);
    await store.markStarted(post.id, Date.now());
    const file = files[post.sentParts - parts.length];
    const textPart = notice + (parts[post.sentParts] ?? ENDING);
    const posted = file
      ? await postFile(chat, file, { thread, signal })
      : await chat.post({ text: textPart, thread, ...(post.replyTo ? { replyTo: post.replyTo } : {}) }, signal);
    sent.set(delivery, { toSend, posted, isLastPart: post.sentParts + 1 >= parts.length + files.length });
    return delivered;
  }

  /** Handles a call that failed, and returns the result to record. Rethrows aborts and unexpected errors. */
  async function handleFailure(
    error: unknown,
    toSend: PostToSend,
    signal: AbortSignal,
  ): Promise<AttemptResult | Postponed> {
    if (signal.aborted || !(error instanceof TeamChatError)) throw error;
    const { channelId } = toSend.chat;
    if (error.isRefused) await store.markStarted(toSend.post.id, null);
    if (error.problem === "busy") {
      pauses.set(channelId, Date.now() + error.retryAfterMs);
      return { postponedMs: error.retryAfterMs };
    }
    if (error.problem === "no_topic" && toSend.thread) await store.setThread(toSend.thread.id, null);
    if (error.problem === "moved" && error.chatId !== undefined) await store.setChatId(channelId, error.chatId);
    const result = { ...createFailure("Not accepted by the team chat", error.message), status: error.status };
    return error.problem === "rejected" ? { ...result, isFinal: true } : result;
  }

  function getRemainingPause(channelId: string): number {
    const remainingMs = (pauses.get(channelId) ?? 0) - Date.now();
    if (remainingMs <= 0) pauses.delete(channelId);
    return remainingMs;
  }

  return {
    async open(delivery, signal) {
      const { postId }: { postId: string } = JSON.parse(delivery.target);
      const toSend = await store.toSend(postId);
      const detail = "The channel was deleted or disabled.";
      if (!toSend || toSend.chat.dueAt === null) {
        return { send: async () => ({ ...createFailure("No channel", detail), isFinal: true }) };
      }
      const { post, thread } = toSend;
      const isFromThisThread = thread && post.subjectId && (await store.isFromThread(thread.id, post.subjectId));
      return {
        async send() {
          if (isFromThisThread) {
            sent.set(delivery, { toSend, posted: null, isLastPart: true });
            return delivered;
          }
          const pauseMs = getRemainingPause(toSend.chat.channelId);
          if (pauseMs > 0) return { postponedMs: pauseMs };
          return send(delivery, toSend, signal).catch((error: unknown) => handleFailure(error, toSend, signal));
        },
      };
    },
    record: (completed) =>
      inTransaction(db, (trx) => recordPost(trx, { store, outbox }, { completed, sent: sent.get(completed.delivery) })),
  };
}

async function recordPost(
  trx: Parameters<ThreadStore["lock"]>[0],
  { store, outbox }: Pick<Parts, "store" | "outbox">,
  { completed, sent }: { completed: CompletedAttempt; sent: Sent | undefined },
): Promise<LeasedDelivery[]> {
  const { postId }: { postId: string } = JSON.parse(completed.delivery.target);
  const post = await trx.selectFrom("teamChatPosts").selectAll().where("id", "=", postId).executeTakeFirst();
  const threadId = post?.threadId ?? null;
  if (threadId !== null) await store.lock(trx, threadId);
  const numbers = await outbox.attempts.settle(trx, [completed]);
  if (!numbers.has(completed.delivery.id) || !post) return [];
  const posts = trx.updateTable("teamChatPosts").where("id", "=", postId);
  const { state } = completed.next;
  if (state === "failed") await posts.set({ state }).execute();
  if (state === "delivered") {
    const { channelId } = post;
    if (sent?.posted) await store.remember(trx, channelId, { messageId: sent.posted.messageId, threadId });
    if (sent?.posted && threadId !== null) await store.beginThread(trx, threadId, sent.posted.thread);
    if (!sent || sent.isLastPart) await trx.deleteFrom("teamChatPosts").where("id", "=", postId).execute();
    else await posts.set({ sentParts: post.sentParts + 1, startedAt: null }).execute();
  }
  await store.recordOutcome(trx, post.channelId, completed.attempt.detail);
  if (threadId === null && state !== "pending") {
    // The posts of a conversation are deleted with it, but this post belongs to no conversation.
    await trx.deleteFrom("teamChatPosts").where("id", "=", postId).execute();
    await trx.deleteFrom("deliveries").where("id", "=", completed.delivery.id).execute();
  }
  return state === "pending" ? [] : store.releaseNext(trx, post);
}
