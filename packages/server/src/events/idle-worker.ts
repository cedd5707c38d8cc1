import { HOUR_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import type { ConversationLog } from "../conversations/log/log.ts";
import { isShown } from "../db/deleted-agents.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { createTimerLoop } from "../jobs/timer-loop.ts";
import { toEventText } from "./event-text.ts";
import { type EventListeners, listIdleMinutes } from "./listeners.ts";
import { reportDueRatings } from "./rating-reports.ts";
import type { RecordEvents } from "./record-events.ts";

const EVERY_MS = 10_000;
/** The maximum size of a transcript in UTF-8 bytes. The newest messages are included. */
const TRANSCRIPT_BYTES = 4 * 1024 * 1024;
/**
 * A running reply updates its row every few seconds. If a row is not updated for longer than this, the process that ran
 * the reply has ended.
 */
const SILENT_MS = 30_000;
/** The delay before a conversation that could not be reported is retried, so that it does not delay the others. */
const RETRY_MS = 5 * MINUTE_MS;
/** How often a timer is looked at while its conversation or agent is in the trash, in milliseconds. */
const HIDDEN_MS = HOUR_MS;

type Parts = {
  record: RecordEvents;
  listeners: EventListeners;
  conversationLog: Pick<ConversationLog, "reportRating" | "postponeRating">;
  now?: () => number;
};

/**
 * Reports conversations without a new message as idle, and ratings that changed soon after an event. A report and the
 * change of its timer share a transaction, so each conversation is reported once per idle time, even with several
 * processes.
 */
export function createIdleWorker(deps: Pick<Deps, "db" | "databaseKind" | "log">, parts: Parts) {
  const { db, log } = deps;
  const { now = Date.now } = parts;
  const report = createReport(deps, parts);

  return createTimerLoop({
    everyMs: EVERY_MS,
    beforeRound: () => reportDueRatings(deps, parts.conversationLog, now()),
    async readDue(limit) {
      const due = db.selectFrom("idleTimers").select("conversationId").where("dueAt", "<=", now());
      return due.orderBy("dueAt").limit(limit).execute();
    },
    handle: ({ conversationId }) => report(conversationId),
    async postpone({ conversationId }, error) {
      const timers = db.updateTable("idleTimers").where("conversationId", "=", conversationId);
      await timers
        .set({ dueAt: now() + RETRY_MS })
        .where("dueAt", "<=", now())
        .execute();
      log.error({ err: error, conversationId }, "an idle conversation could not be reported; retrying in five minutes");
    },
    log,
    failure: "idle conversations could not be reported",
  });
}

/** @returns a function that reports one conversation if it is still due */
function createReport(
  { db, databaseKind }: Pick<Deps, "db" | "databaseKind">,
  { record, listeners, now = Date.now }: Parts,
) {
  return (conversationId: string): Promise<void> =>
    inTransaction(db, async (trx) => {
      // Lock conversations before their timers, in the same order as when a message arrives, to prevent deadlocks.
      const conversation = await trx
        .selectFrom("conversations")
        .select(["organizationId", "agentId", "messageCount", isShown])
        .where("id", "=", conversationId)
        .$if(databaseKind === "postgres", (query) => query.forUpdate())
        .executeTakeFirst();
      const due = await trx
        .selectFrom("idleTimers")
        .selectAll()
        .where("conversationId", "=", conversationId)
        .where("dueAt", "<=", now())
        .executeTakeFirst();
      if (!conversation || !due) return;
      const { organizationId, agentId, messageCount } = conversation;
      const timers = trx.updateTable("idleTimers").where("conversationId", "=", conversationId);
      if (Number(conversation.isShown) === 0) {
        await timers.set({ dueAt: now() + HIDDEN_MS }).execute();
        return;
      }
      const last = await readNewestMessage(trx, conversationId);
      if (last?.role === "assistant" && last.stopReason === null && now() - last.updatedAt < SILENT_MS) {
        await timers.set({ dueAt: now() + SILENT_MS }).execute();
        return;
      }
      const minutes = listIdleMinutes(await listeners.get(trx, organizationId), agentId).filter(
        (one) => one > due.reportedMinutes,
      );
      const reached = minutes.filter((one) => due.lastMessageAt + one * MINUTE_MS <= now());
      if (reached.length > 0) {
        const messages = await readTranscript(trx, conversationId);
        const lastMessageAt = new Date(due.lastMessageAt).toISOString();
        const data = { lastMessageAt, messageCount, isTruncated: messages.length < messageCount, messages };
        await record(
          trx,
          reached.map((idleMinutes) => ({
            type: "conversation.idle",
            organizationId,
            agentId,
            conversationId,
            idleMinutes,
            data: () => ({ idleMinutes, ...data }),
          })),
        );
      }
      const next = minutes.find((one) => !reached.includes(one));
      if (next === undefined) await trx.deleteFrom("idleTimers").where("conversationId", "=", conversationId).execute();
      else {
        const reportedMinutes = reached.at(-1) ?? due.reportedMinutes;
        await timers.set({ reportedMinutes, dueAt: due.lastMessageAt + next * MINUTE_MS }).execute();
      }
    });
}

async function readNewestMessage(trx: Deps["db"], conversationId: string) {
  return trx
    .selectFrom("messages")
    .select(["role", "stopReason", "updatedAt"])
    .where("conversationId", "=", conversationId)
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** The newest messages within `TRANSCRIPT_BYTES`, oldest first. */
async function readTranscript(trx: Deps["db"], conversationId: string) {
  const sized = sql<string>`(select id from (
      select id, sum(octet_length(content)) over (order by position desc) as bytes from messages
      where "conversationId" = ${conversationId}
    ) as sized where bytes <= ${TRANSCRIPT_BYTES})`;
  const rows = await trx
    .selectFrom("messages")
    .select(["id", "role", "content", "isSupplied", "createdAt"])
    .where("id", "in", sized)
    .orderBy("position")
    .execute();
  return rows.map(({ isSupplied, content, ...row }) => ({
    ...row,
    ...toEventText(conversationId, content),
    ...(isSupplied === 1 ? { isSupplied: true } : {}),
    createdAt: new Date(row.createdAt).toISOString(),
  }));
}
