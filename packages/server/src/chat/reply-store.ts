import type { Transaction } from "kysely";
import { createBatchWriter } from "../db/batch-writer.ts";
import type { Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { ConversationRow, MessageRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Spend, TokenBudgets } from "../plans/token-budget.ts";
import { type HistoryRow, type ReplyEnd, type ReplyQueries, type ReplyState, replyQueries } from "./reply-queries.ts";

export type { HistoryRow };

export type NewTurn = {
  conversation: ConversationRow;
  isNew: boolean;
  /** what the visitor's side appends, in order */
  messages: ReadonlyArray<Pick<MessageRow, "id" | "role" | "content">>;
  replyId: string;
  /** null when none is asked */
  model: string | null;
  /** drop the last reply first, because it is asked again */
  regenerate: boolean;
};

export type ReplyStore = ReturnType<typeof createReplyStore>;

type Ended = { end: ReplyEnd; spend: Spend };

/** What the chat writes. Its queries run for every reply, so each is built once. */
export function createReplyStore(db: Db, count: TokenBudgets["count"]) {
  const queries = replyQueries(db);
  const keepEnd = createBatchWriter<Ended, undefined>(db, keepEnds, { maxItems: 100 });

  async function keepEnds(trx: Executor, ended: readonly Ended[]): Promise<undefined[]> {
    for (const { end } of inOrder(ended, ({ end }) => end.id)) await queries.end(trx, end);
    await count(
      trx,
      ended.map(({ spend }) => spend),
    );
    return ended.map(() => undefined);
  }

  return {
    /**
     * Keeps the visitor's messages and an empty reply, marked as running, in one transaction, and returns what the
     * model will be told. A reply of this conversation that runs in another process is asked to end.
     */
    async begin(turn: NewTurn, historyLimit: number): Promise<HistoryRow[]> {
      return inTransaction(db, (trx) => begin(trx, queries, turn, historyLimit));
    },
    /** Where the reply stands, so that little is lost if the process dies. @returns those that were asked to end */
    async checkpoint(states: readonly ReplyState[]): Promise<Set<string>> {
      const stopped = new Set<string>();
      await db.transaction().execute(async (trx) => {
        for (const state of inOrder(states, ({ id }) => id)) {
          const { rows } = await queries.checkpoint(trx, state);
          // No row: its conversation was deleted, or it is asked again elsewhere.
          if (rows[0]?.stopRequested !== 0) stopped.add(state.id);
        }
      });
      return stopped;
    },
    /** Which of these replies were asked to end, or are gone. */
    async stopRequested(ids: readonly string[]): Promise<Set<string>> {
      const running = db.selectFrom("messages").select("id").where("id", "in", ids).where("stopRequested", "=", 0);
      const going = new Set((await running.execute()).map(({ id }) => id));
      return new Set(ids.filter((id) => !going.has(id)));
    },
    /** Keeps how the reply ended and counts what it cost; replies that end at once share a transaction. */
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

/** The order in which everybody locks several messages, so that no two wait for each other. */
function inOrder<T>(items: readonly T[], idOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

async function begin(trx: Transaction<Tables>, queries: ReplyQueries, turn: NewTurn, historyLimit: number) {
  const { conversation, messages, replyId, model } = turn;
  const conversationId = conversation.id;
  const now = Date.now();
  let position = 0;
  if (turn.isNew) {
    await queries.insertConversation(trx, { ...conversation, messageCount: messages.length + 1 });
    await queries.count(trx, { agentId: conversation.agentId });
  } else {
    // Also the lock that puts two turns of one conversation into an order, on PostgreSQL.
    await queries.touch(trx, { id: conversationId, added: messages.length + 1, now });
    await queries.requestStop(trx, { conversationId });
    const last = (await queries.lastMessage(trx, { conversationId })).rows[0];
    position = last ? last.position + 1 : 0;
    if (turn.regenerate && last?.role === "assistant") {
      await queries.deleteMessage(trx, { id: last.id });
      await queries.touch(trx, { id: conversationId, added: -1, now });
      position = last.position;
    }
  }
  const history = turn.isNew
    ? []
    : (await queries.history(trx, { conversationId, limit: historyLimit })).rows.reverse();
  const appended = messages.map((message, index) => ({
    ...message,
    ...{ pieces: null, position: position + index, createdAt: now },
  }));
  for (const message of appended) {
    // A reply that the client brings along is finished; how it ended is not known.
    const stopReason = message.role === "assistant" ? "end_turn" : null;
    await queries.insertMessage(trx, { ...message, conversationId, stopReason, model: null, now });
  }
  const reply = { id: replyId, role: "assistant" as const, content: "", position: position + appended.length };
  await queries.insertMessage(trx, { ...reply, conversationId, stopReason: null, model, now });
  return [...history, ...appended];
}
