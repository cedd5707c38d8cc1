import type { Transaction } from "kysely";
import { parseHandoff } from "../agents/handoff.ts";
import { createPreview } from "../conversations/message-preview.ts";
import { createBatchWriter } from "../db/batch-writer.ts";
import type { Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { MessageRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import { type Begun, beginTurn, type HistoryLimits } from "./begin-turn.ts";
import { endEvents } from "./reply-event-log.ts";
import { type HistoryRow, type MessageKey, type ReplyQueries, type ReplyState, replyQueries } from "./reply-queries.ts";
import type { EndedReply, NewTurn, TurnRecorders } from "./reply-turn.ts";

export type { HistoryRow };

export type ReplyStore = ReturnType<typeof createReplyStore>;

/** How a running reply should end: stopped by its visitor or by the next reply, or because a person takes over. */
export type StopRequest = "stop" | "hand over";

/** `handed over`: a person took the conversation over while the reply ran. `gone`: the reply was deleted. */
export type EndResult = "stored" | "handed over" | "gone";

/** The writes of the chat. Their queries run for every reply, so each query is built only once. */
export function createReplyStore(db: Db, recorders: TurnRecorders) {
  const queries = replyQueries(db);
  const keepEnd = createBatchWriter<EndedReply, EndResult>(db, storeEnds, { maxItems: 100 });

  /**
   * Locks conversations first and then messages, each in a fixed order. All writers use this order, to avoid deadlocks.
   */
  async function storeEnds(trx: Transaction<Tables>, ended: readonly EndedReply[]): Promise<EndResult[]> {
    const stored = new Set<string>();
    const handedOver = new Set<string>();
    for (const one of inOrder(ended, ({ conversationId }) => conversationId)) {
      const { conversationId, end, epoch, failedTools } = one;
      const size = { textBytes: Buffer.byteLength(end.content), toolBytes: Buffer.byteLength(end.pieces ?? "") };
      const { rows } = await queries.finish(trx, {
        id: conversationId,
        replyId: end.id,
        epoch,
        now: end.now,
        failedTools,
        ...size,
      });
      if (rows.length > 0) stored.add(end.id);
      if (rows[0]) await requestAfterFailures(trx, one, rows[0]);
      else if ((await queries.isHandedOver(trx, { id: conversationId, epoch })).rows.length > 0) handedOver.add(end.id);
    }
    for (const one of inOrder(ended, ({ end }) => end.id)) if (stored.has(one.end.id)) await storeEnd(trx, one);
    const usage = await recorders.tokens(
      trx,
      ended.map((one) => one.usage),
    );
    await recorders.conversations(
      trx,
      ended.filter(({ isCounted, end }) => isCounted && stored.has(end.id)).map(toEvent),
    );
    await recorders.events(trx, endEvents(ended, stored, usage));
    return ended.map(({ end: { id } }) => (stored.has(id) ? "stored" : handedOver.has(id) ? "handed over" : "gone"));
  }

  /** Asks for a person once as many tool calls have failed as the agent allows. */
  async function requestAfterFailures(
    trx: Transaction<Tables>,
    { agent, conversationId, failedTools }: EndedReply,
    { handler, failedTools: all }: { handler: string; failedTools: number },
  ): Promise<void> {
    if (failedTools === 0 || handler !== "agent") return;
    const { isEnabled, failedTools: max } = parseHandoff(agent);
    if (!isEnabled || max === null || all < max) return;
    const { organizationId } = agent;
    await recorders.requestHuman(trx, agent, { organizationId, conversationId, cause: "failed_tools", reason: null });
  }

  async function storeEnd(trx: Executor, { conversationId, end, failure, answer }: EndedReply): Promise<void> {
    const { rows } = await queries.end(trx, end);
    const preview = createPreview(end.content);
    if (rows[0]?.isLast && preview !== "") {
      await queries.preview(trx, { id: conversationId, role: "assistant", preview, now: end.now });
    }
    if (answer && rows.length > 0) await recorders.answers(trx, answer);
    if (failure) await queries.fail(trx, { ...failure, messageId: end.id, conversationId, at: end.now });
  }

  return {
    /**
     * Stores the visitor's messages and an empty reply, marked as running, in one transaction, and returns the prompt's
     * history. A reply of this conversation that runs in another process is asked to end. While a person has the
     * conversation, or the visitor waits for one and the agent is silent, only the messages are stored.
     * @throws 409 when the conversation is full, or a reply runs that must not be replaced
     */
    async begin(turn: NewTurn, historyLimits: HistoryLimits): Promise<Begun> {
      return inTransaction(db, (trx) => beginTurn(trx, queries, { turn, historyLimits, recorders }));
    },
    ...createProgressWrites(db, queries),
    /**
     * Stores the end of a reply and counts its tokens. Replies that end at the same time share a transaction.
     */
    end: keepEnd,
    async requestStop(conversationId: string): Promise<void> {
      await queries.requestStop(db, { conversationId });
    },
    ...createStoredReads(db, queries),
  };
}

/** Reads stored messages and replies. */
function createStoredReads(db: Db, queries: ReplyQueries) {
  return {
    /**
     * A visitor's message by its key, and the agent's reply to it. `reply` is undefined when the agent did not reply,
     * because a person had the conversation. @returns null when no message with this key is stored
     */
    async sentMessage(key: MessageKey): Promise<{ content: string; reply: MessageRow | undefined } | null> {
      const [message] = (await queries.byKey(db, key)).rows;
      if (!message) return null;
      const next = await db
        .selectFrom("messages")
        .selectAll()
        .where("conversationId", "=", key.conversationId)
        .where("position", ">", message.position)
        .orderBy("position")
        .limit(1)
        .executeTakeFirst();
      const isReply = next?.role === "assistant" && next.authorName === null;
      return { content: message.content, reply: isReply ? next : undefined };
    },
    /** The conversation that began with this key. */
    async begunWith({
      organizationId,
      startKey,
    }: {
      organizationId: string;
      startKey: string;
    }): Promise<string | null> {
      const row = await db
        .selectFrom("conversations")
        .select("id")
        .where("organizationId", "=", organizationId)
        .where("startKey", "=", startKey)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async latestReply(conversationId: string): Promise<MessageRow | undefined> {
      return db
        .selectFrom("messages")
        .selectAll()
        .where("conversationId", "=", conversationId)
        .where("role", "=", "assistant")
        .where("authorName", "is", null)
        .where("isSupplied", "=", 0)
        .orderBy("position", "desc")
        .limit(1)
        .executeTakeFirst();
    },
  };
}

/** Saves running replies, and reads whether they should stop. */
function createProgressWrites(db: Db, queries: ReplyQueries) {
  return {
    /**
     * Saves running replies, so that little is lost if the process ends unexpectedly.
     * @returns how replies should stop, by their ids
     */
    async checkpoint(states: readonly ReplyState[]): Promise<Map<string, StopRequest>> {
      const stopped = new Map<string, StopRequest>();
      await db.transaction().execute(async (trx) => {
        for (const state of inOrder(states, ({ id }) => id)) {
          const { rows } = await queries.checkpoint(trx, state);
          // No row means that the conversation was deleted or the reply was ended or replaced by another process.
          if (rows[0]?.stopRequested !== 0) stopped.set(state.id, rows[0]?.stopRequested === 2 ? "hand over" : "stop");
        }
      });
      return stopped;
    },
    /** How these replies should stop, by their ids. A reply that no longer exists should stop too. */
    async stopRequested(ids: readonly string[]): Promise<Map<string, StopRequest>> {
      const found = await db
        .selectFrom("messages")
        .select(["id", "stopRequested", "stopReason"])
        .where("id", "in", ids)
        .execute();
      const stopped = new Map<string, StopRequest>(ids.map((id) => [id, "stop"]));
      for (const { id, stopRequested, stopReason } of found) {
        if (stopRequested === 2) stopped.set(id, "hand over");
        else if (stopRequested === 0 && stopReason === null) stopped.delete(id);
      }
      return stopped;
    },
  };
}

function toEvent({ usage: { agentId }, end }: EndedReply) {
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
