import type { Transaction } from "kysely";
import { createBatchWriter } from "../../db/batch-writer.ts";
import type { Executor } from "../../db/compiled-query.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { createTokenBudgets, type MonthUsage } from "../../plans/token-budget.ts";
import { createPreview } from "../message-preview.ts";
import { type Begun, beginTurn, type HistoryLimits } from "./begin-turn.ts";
import type { Change, Emit } from "./change.ts";
import { type ReplyState, replyQueries } from "./queries.ts";
import type { EndedReply, NewTurn } from "./turn.ts";

/** How a running reply should end: stopped by its visitor or by the next reply, or because a person takes over. */
export type StopRequest = "stop" | "hand over";

/** `handed over`: a person took the conversation over while the reply ran. `gone`: the reply was deleted. */
export type EndResult = "stored" | "handed over" | "gone";

/** The turns of visitors and the agent's replies. Their queries run for every reply, so each query is built only once. */
export function createReplies(deps: Pick<Deps, "db" | "config" | "encryption">, emit: Emit) {
  const { db } = deps;
  const queries = replyQueries(db);
  const budgets = createTokenBudgets(deps);

  async function storeEnds(trx: Transaction<Tables>, ended: readonly EndedReply[]): Promise<EndResult[]> {
    const stored = new Map<string, Change>();
    const handedOver = new Set<string>();
    for (const reply of inOrder(ended, ({ conversationId }) => conversationId)) {
      const { conversationId, end, epoch, failedTools, agent } = reply;
      const size = { textBytes: Buffer.byteLength(end.content), toolBytes: Buffer.byteLength(end.pieces ?? "") };
      const failed = end.stopReason === "error" ? (1 as const) : (0 as const);
      const cost = { cost: end.cost ?? 0, isCostUnknown: end.cost === null ? (1 as const) : (0 as const) };
      const finished = {
        id: conversationId,
        replyId: end.id,
        epoch,
        now: end.now,
        failedTools,
        failed,
        ...cost,
        ...size,
      };
      const [conversation] = (await queries.finish(trx, finished)).rows;
      if (conversation) {
        const place = { organizationId: agent.organizationId, agentId: agent.id, conversationId };
        stored.set(end.id, { kind: "reply_ended", ...place, reply, ...conversation });
      } else if ((await queries.isHandedOver(trx, { id: conversationId, epoch })).rows.length > 0) {
        handedOver.add(end.id);
      }
    }
    for (const one of inOrder(ended, ({ end }) => end.id)) if (stored.has(one.end.id)) await storeEnd(trx, one);
    const usage = await budgets.count(
      trx,
      ended.map((one) => one.usage),
    );
    await emit(trx, [...ended.flatMap(({ end }) => stored.get(end.id) ?? []), ...toUsageChanges(ended, usage)]);
    return ended.map(({ end: { id } }) => (stored.has(id) ? "stored" : handedOver.has(id) ? "handed over" : "gone"));
  }

  async function storeEnd(trx: Executor, { conversationId, end, failure, steps }: EndedReply): Promise<void> {
    const { rows } = await queries.end(trx, end);
    for (const [position, step] of steps.entries()) await queries.step(trx, { ...step, messageId: end.id, position });
    const preview = createPreview(end.content);
    if (rows[0]?.isLast && preview !== "") {
      await queries.preview(trx, { id: conversationId, role: "assistant", preview, now: end.now });
    }
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
      return inTransaction(db, (trx) => beginTurn(trx, queries, { turn, historyLimits, emit }));
    },
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
    /** Asks the process that runs a reply of the conversation to stop it. */
    async requestStop(conversationId: string): Promise<void> {
      await queries.requestStop(db, { conversationId });
    },
    /** Asks the processes that run these replies to hand their conversation over to a person. */
    async requestHandOver(ids: readonly string[]): Promise<void> {
      await db
        .updateTable("messages")
        .set({ stopRequested: 2 })
        .where("id", "in", ids)
        .where("stopReason", "is", null)
        .execute();
    },
    /** Stores the end of a reply and counts its tokens. Replies that end at the same time share a transaction. */
    finish: createBatchWriter<EndedReply, EndResult>(db, storeEnds, { maxItems: 100 }),
  };
}

/** Replies whose conversations were deleted meanwhile also count towards the budgets. */
function toUsageChanges(ended: readonly EndedReply[], usage: readonly MonthUsage[]): Change[] {
  const agents = new Map(ended.map(({ agent }) => [agent.id, agent]));
  return usage.flatMap((month) => {
    const agent = agents.get(month.agentId);
    if (!agent) return [];
    return [{ kind: "tokens_used", organizationId: agent.organizationId, conversationId: null, agent, ...month }];
  });
}

/** The order in which all processes lock several messages, to avoid deadlocks. */
function inOrder<T>(items: readonly T[], idOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}
