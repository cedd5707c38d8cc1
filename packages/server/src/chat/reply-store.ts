import { conversationLimits } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { ConversationCounters } from "../conversations/analytics/counters.ts";
import { createBatchWriter } from "../db/batch-writer.ts";
import type { Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { ConversationRow, MessageRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { AnswerRecorder } from "../documents/answers/recorder.ts";
import { AppError, notFound } from "../errors.ts";
import type { RecordEvents } from "../events/record-events.ts";
import type { TokenBudgets } from "../plans/token-budget.ts";
import { endEvents, turnEvents } from "./reply-event-log.ts";
import {
  type ConversationSize,
  type HistoryRow,
  type ReplyQueries,
  type ReplyState,
  replyQueries,
} from "./reply-queries.ts";
import type { Ended, NewTurn } from "./reply-turn.ts";

export type { HistoryRow };

export type ReplyStore = ReturnType<typeof createReplyStore>;

/** How tokens, conversations, answers and events are recorded, in the transaction that stores what they belong to. */
type Counting = {
  tokens: TokenBudgets["count"];
  conversations: ConversationCounters["count"];
  answers: AnswerRecorder["record"];
  events: RecordEvents;
};

/** How much of the conversation is read: messages, and UTF-8 bytes of them. */
export type HistoryLimits = { limit: number; maxBytes: number };

/** What the model is told, and how many bytes of text and tool calls the reply may still add. */
export type Begun = { history: HistoryRow[]; room: { textBytes: number; toolBytes: number } };

const PREVIEW_CHARACTERS = 160;
/** A reply needs at least so much. */
const MIN_ROOM_BYTES = 4_096;
/** A running reply gives a sign of life every few seconds; one silent for longer died with its process. */
const SILENT_MS = 30_000;

/** What the chat writes. Its queries run for every reply, so each is built once. */
export function createReplyStore(db: Db, count: Counting) {
  const queries = replyQueries(db);
  const keepEnd = createBatchWriter<Ended, boolean>(db, storeEnds, { maxItems: 100 });

  /** Conversations first, then messages, each in one order: everybody locks rows this way. */
  async function storeEnds(trx: Executor, ended: readonly Ended[]): Promise<boolean[]> {
    const stored = new Set<string>();
    for (const { conversationId, end } of inOrder(ended, ({ conversationId }) => conversationId)) {
      const size = { textBytes: Buffer.byteLength(end.content), toolBytes: Buffer.byteLength(end.pieces ?? "") };
      const { rows } = await queries.finish(trx, { id: conversationId, replyId: end.id, ...size });
      if (rows.length > 0) stored.add(end.id);
    }
    for (const one of inOrder(ended, ({ end }) => end.id)) if (stored.has(one.end.id)) await storeEnd(trx, one);
    const usage = await count.tokens(
      trx,
      ended.map((one) => one.usage),
    );
    await count.conversations(trx, ended.filter(({ isCounted, end }) => isCounted && stored.has(end.id)).map(toEvent));
    await count.events(trx, endEvents(ended, stored, usage));
    return ended.map(({ end }) => stored.has(end.id));
  }

  async function storeEnd(trx: Executor, { conversationId, end, failure, answer }: Ended): Promise<void> {
    const { rows } = await queries.end(trx, end);
    const preview = previewOf(end.content);
    if (rows[0]?.isLast && preview !== "") {
      await queries.preview(trx, { id: conversationId, role: "assistant", preview, now: end.now });
    }
    if (answer && rows.length > 0) await count.answers(trx, answer);
    if (failure) await queries.fail(trx, { ...failure, messageId: end.id, conversationId, at: end.now });
  }

  return {
    /**
     * Keeps the visitor's messages and an empty reply, marked as running, in one transaction, and returns what the
     * model will be told. A reply of this conversation that runs in another process is asked to end.
     * @throws 409 when the conversation is full, or a reply runs that must not be replaced
     */
    async begin(turn: NewTurn, historyLimits: HistoryLimits): Promise<Begun> {
      return inTransaction(db, (trx) => begin(trx, queries, { turn, historyLimits, count }));
    },
    /**
     * Saves running replies, so that little is lost if the process dies. @returns the ids of replies that should stop
     */
    async checkpoint(states: readonly ReplyState[]): Promise<Set<string>> {
      const stopped = new Set<string>();
      await db.transaction().execute(async (trx) => {
        for (const state of inOrder(states, ({ id }) => id)) {
          const { rows } = await queries.checkpoint(trx, state);
          // No row means that the conversation was deleted or the reply was replaced in another process.
          if (rows[0]?.stopRequested !== 0) stopped.add(state.id);
        }
      });
      return stopped;
    },
    /** Which of these replies should stop or no longer exist. */
    async stopRequested(ids: readonly string[]): Promise<Set<string>> {
      const running = db.selectFrom("messages").select("id").where("id", "in", ids).where("stopRequested", "=", 0);
      const going = new Set((await running.execute()).map(({ id }) => id));
      return new Set(ids.filter((id) => !going.has(id)));
    },
    /**
     * Stores the end of a reply and counts its tokens. Replies that end at the same time share a transaction.
     * @returns false when the reply was deleted in the meantime, so nothing was stored
     */
    end: keepEnd,
    async requestStop(conversationId: string): Promise<void> {
      await queries.requestStop(db, { conversationId });
    },
    async latestReply(conversationId: string): Promise<MessageRow | undefined> {
      return db
        .selectFrom("messages")
        .selectAll()
        .where("conversationId", "=", conversationId)
        .where("role", "=", "assistant")
        .orderBy("position", "desc")
        .limit(1)
        .executeTakeFirst();
    },
  };
}

function toEvent({ usage: { agentId }, end }: Ended) {
  return {
    agentId,
    at: end.now,
    replies: 1,
    failedReplies: end.stopReason === "error" ? 1 : 0,
    inputTokens: end.inputTokens ?? 0,
    outputTokens: end.outputTokens ?? 0,
  };
}

/** The order in which all processes lock several messages, to avoid deadlocks. */
function inOrder<T>(items: readonly T[], idOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

async function begin(
  trx: Transaction<Tables>,
  queries: ReplyQueries,
  { turn, historyLimits, count }: { turn: NewTurn; historyLimits: HistoryLimits; count: Counting },
): Promise<Begun> {
  const { conversation, messages, replyId, model } = turn;
  const conversationId = conversation.id;
  const now = Date.now();
  const added = {
    messages: messages.length + 1,
    textBytes: messages.reduce((sum, { content, page }) => sum + Buffer.byteLength(content + (page ?? "")), 0),
    toolBytes: 0,
  };
  const said = messages.findLast(({ role }) => role === "user");
  const preview = said && { role: said.role, preview: previewOf(said.content), now };
  const { position, size } = turn.isNew
    ? await insertNew(trx, queries, conversation, { added, preview })
    : await extend(trx, queries, turn, { added, preview, now });
  checkRoom(size);
  if (turn.isNew && conversation.isTest === 0) {
    await count.conversations(trx, [{ agentId: conversation.agentId, at: now, conversations: 1 }]);
  }
  const history = turn.isNew ? [] : (await queries.history(trx, { conversationId, ...historyLimits })).rows.reverse();
  const appended = messages.map((message, index) => ({
    ...message,
    pieces: null,
    position: position + index,
    createdAt: now,
  }));
  for (const message of appended) {
    // An assistant message sent by the client is finished. How it ended is unknown.
    const stopReason = message.role === "assistant" ? "end_turn" : null;
    await queries.insertMessage(trx, { ...message, conversationId, stopReason, model: null, now });
  }
  const reply = {
    id: replyId,
    role: "assistant" as const,
    content: "",
    page: null,
    position: position + appended.length,
  };
  await queries.insertMessage(trx, { ...reply, conversationId, stopReason: null, model, now });
  await count.events(trx, turnEvents(turn));
  return {
    history: [...history, ...appended],
    room: {
      textBytes: conversationLimits.textBytes - size.textBytes,
      toolBytes: conversationLimits.toolBytes - size.toolBytes,
    },
  };
}

type Added = { added: { messages: number; textBytes: number; toolBytes: number }; preview: PreviewOf | undefined };
type PreviewOf = { role: "user" | "assistant"; preview: string; now: number };
/** The position of the next message, and the size of the conversation including it. */
type Place = { position: number; size: ConversationSize };

async function insertNew(
  trx: Executor,
  queries: ReplyQueries,
  conversation: ConversationRow,
  { added, preview }: Added,
): Promise<Place> {
  const size = { messageCount: added.messages, textBytes: added.textBytes, toolBytes: 0 };
  await queries.insertConversation(trx, {
    ...conversation,
    ...size,
    lastMessageRole: preview?.role ?? null,
    lastMessagePreview: preview?.preview ?? null,
    lastMessageAt: preview?.now ?? null,
  });
  await queries.count(trx, { agentId: conversation.agentId });
  return { position: 0, size };
}

async function extend(
  trx: Executor,
  queries: ReplyQueries,
  { conversation: { id }, regenerate, mayReplaceReply, claimedBy, consent }: NewTurn,
  { added, preview, now }: Added & { now: number },
): Promise<Place> {
  // On PostgreSQL, this update also locks the conversation, so concurrent turns are serialized.
  let [size] = (await queries.grow(trx, { id, ...added, now })).rows;
  const [last] = (await queries.lastMessage(trx, { conversationId: id })).rows;
  if (mayReplaceReply) await queries.requestStop(trx, { conversationId: id });
  else if (last?.role === "assistant" && last.stopReason === null && now - last.updatedAt < SILENT_MS) {
    throw replyIsRunning();
  }
  let position = last ? last.position + 1 : 0;
  if (regenerate && last?.role === "assistant") {
    await queries.deleteMessage(trx, { id: last.id });
    // A reply is counted when it ends. Subtracting an unfinished reply would free space that was never used.
    const isCounted = last.stopReason !== null;
    const dropped = {
      messages: -1,
      textBytes: isCounted ? -Number(last.textBytes) : 0,
      toolBytes: isCounted ? -Number(last.toolBytes) : 0,
    };
    [size] = (await queries.grow(trx, { id, ...dropped, now })).rows;
    position = last.position;
  }
  if (preview) await queries.preview(trx, { id, ...preview });
  if (claimedBy) await queries.claim(trx, { id, ...claimedBy });
  if (consent !== null) await queries.consent(trx, { id, consent });
  if (!size) throw notFound("Conversation");
  return { position, size };
}

function checkRoom({ messageCount, textBytes, toolBytes }: ConversationSize) {
  const { messages, textBytes: maxText, toolBytes: maxTools } = conversationLimits;
  if (messageCount <= messages && textBytes + MIN_ROOM_BYTES <= maxText && toolBytes + MIN_ROOM_BYTES <= maxTools)
    return;
  throw new AppError(
    "CONVERSATION_TOO_LONG",
    `A conversation holds at most ${messages} messages and ${maxText / 1024 / 1024} MiB of text. Start a new one.`,
  );
}

export function replyIsRunning(): AppError {
  return new AppError(
    "CONFLICT",
    "A reply is still running in this conversation. Wait until it ends, or send the conversationToken to replace it.",
  );
}

/** The start of a message on one line. */
function previewOf(content: string): string {
  const line = content
    .slice(0, PREVIEW_CHARACTERS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return Array.from(line).slice(0, PREVIEW_CHARACTERS).join("").toWellFormed();
}
