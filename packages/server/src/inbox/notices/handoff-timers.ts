import { HOUR_MS } from "@foyer/contract/rules/time";
import type { Transaction } from "kysely";
import type { ConversationLog } from "../../conversations/log/log.ts";
import { touchConversation } from "../../conversations/log/marks.ts";
import { isShown } from "../../db/deleted-agents.ts";
import type { HandoffTimerRow } from "../../db/tables/notices.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { createTimerLoop } from "../../jobs/timer-loop.ts";
import { MAIL_HOST } from "../../outbox/host-of.ts";
import { announceHeld } from "./announce-held.ts";
import { enqueueRating } from "./rating-timer.ts";
import { NOT_ANNOUNCED, type NoticeRecorder } from "./record-notices.ts";
import { warnOfTarget } from "./warn-of-target.ts";

const EVERY_MS = 5_000;
/**
 * The delay before a timer that could not be handled is retried, in milliseconds, so that it does not delay the others.
 */
const RETRY_MS = 60_000;
/** How often a timer is looked at while its conversation or agent is in the trash, in milliseconds. */
const HIDDEN_MS = HOUR_MS;

type Parts = {
  recorder: NoticeRecorder;
  conversationLog: Pick<ConversationLog, "announce" | "release">;
  /** whether a member has the inbox open, or has just answered */
  isPresent(trx: Transaction<Tables>, member: { organizationId: string; userId: string }): Promise<boolean>;
  now?: () => number;
};
type TimerKey = Pick<HandoffTimerRow, "conversationId" | "kind">;

/**
 * Escalates requests that no member took in time, emails answers and the question for a rating that the visitor has not
 * seen, notifies absent members of messages, warns of targets that will soon be missed, and releases the conversations of members who have left the
 * organization. A timer is deleted in the transaction of its effect, so only one process handles it.
 */
export function createHandoffTimers(deps: Pick<Deps, "db" | "databaseKind" | "mailer" | "log">, parts: Parts) {
  const { db, log } = deps;
  const { now = Date.now } = parts;

  return createTimerLoop<TimerKey>({
    everyMs: EVERY_MS,
    async readDue(limit) {
      const due = db.selectFrom("handoffTimers").select(["conversationId", "kind"]).where("dueAt", "<=", now());
      return due.orderBy("dueAt").orderBy("conversationId").limit(limit).execute();
    },
    handle: createHandler(deps, parts),
    async postpone({ conversationId, kind }, error) {
      await db
        .updateTable("handoffTimers")
        .set({ dueAt: now() + RETRY_MS })
        .where("conversationId", "=", conversationId)
        .where("kind", "=", kind)
        .where("dueAt", "<=", now())
        .execute();
      log.error({ err: error, conversationId, kind }, "a handoff could not be followed up; retrying in a minute");
    },
    log,
    failure: "handoffs could not be followed up",
  });
}

/** @returns a function that handles one timer if it is still due */
function createHandler(
  { db, databaseKind, mailer }: Pick<Deps, "db" | "databaseKind" | "mailer">,
  { recorder, conversationLog, isPresent, now = Date.now }: Parts,
) {
  async function escalate(trx: Transaction<Tables>, timer: HandoffTimerRow): Promise<void> {
    const { conversationId, organizationId, handoffId } = timer;
    const step = timer.step + 1;
    const request = await trx
      .updateTable("handoffs")
      .set({ escalatedTo: step })
      .where("id", "=", handoffId)
      .where("conversationId", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .where("takenAt", "is", null)
      .where("endedAt", "is", null)
      .returning(["id", "organizationId", "agentId", "conversationId"])
      .executeTakeFirst();
    if (!request || !(await recorder.call(trx, request, step))) return;
    // Update the time of the change, because the live inbox reads conversations by it.
    await touchConversation(trx, { organizationId, conversationId }, now());
  }

  async function enqueueAnswer(trx: Transaction<Tables>, timer: HandoffTimerRow): Promise<void> {
    const { conversationId, organizationId, step: from } = timer;
    // The conversation may have been returned and taken over again since the message was written.
    const request = await trx
      .selectFrom("handoffs")
      .select("id")
      .where("conversationId", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .where("email", "is not", null)
      .orderBy("requestedAt", "desc")
      .limit(1)
      .executeTakeFirst();
    if (!request || !mailer.isConfigured) return;
    const last = await trx
      .selectFrom("messages")
      .select((x) => x.fn.max("position").as("position"))
      .where("conversationId", "=", conversationId)
      .where("authorId", "is not", null)
      .where("position", ">=", from)
      .executeTakeFirst();
    const to = last?.position ?? null;
    if (to === null) return;
    const target = { notice: "answer", handoffId: request.id, from, to: Number(to) } as const;
    await recorder.enqueue(trx, timer, [{ type: "email", host: MAIL_HOST, target }]);
  }

  return ({ conversationId, kind }: TimerKey): Promise<void> =>
    inTransaction(db, async (trx) => {
      // Lock conversations before their timers, in the same order as when a member takes one over, to prevent
      // deadlocks.
      const conversation = await trx
        .selectFrom("conversations")
        .select(["epoch", "isTest", "handler", "status", "ratingAskedAt", "ratedAt", isShown])
        .where("id", "=", conversationId)
        .$if(databaseKind === "postgres", (query) => query.forUpdate())
        .executeTakeFirst();
      if (conversation && Number(conversation.isShown) === 0) {
        await trx
          .updateTable("handoffTimers")
          .set({ dueAt: now() + HIDDEN_MS })
          .where("conversationId", "=", conversationId)
          .where("kind", "=", kind)
          .where("dueAt", "<=", now())
          .execute();
        return;
      }
      const timer = await trx
        .deleteFrom("handoffTimers")
        .where("conversationId", "=", conversationId)
        .where("kind", "=", kind)
        .where("dueAt", "<=", now())
        .returningAll()
        .executeTakeFirst();
      if (!conversation || !timer) return;
      const { organizationId } = timer;
      if (timer.kind === "target") {
        return warnOfTarget(trx, timer, { conversationLog, isTest: conversation.isTest, now: now() });
      }
      if (timer.kind === "answer") return enqueueAnswer(trx, timer);
      if (timer.kind === "rating") return enqueueRating(trx, timer, { conversation, enqueue: recorder.enqueue });
      if (timer.kind === "left" || timer.kind === "message") {
        const isReleased = await conversationLog.release(trx, { organizationId, conversationId });
        if (isReleased || timer.kind === "left") return;
        return recorder.remind(trx, timer, (userId) => isPresent(trx, { organizationId, userId }));
      }
      if (timer.step <= NOT_ANNOUNCED) {
        return announceHeld(trx, timer, { databaseKind, conversationLog, ...conversation, now: now() });
      }
      return escalate(trx, timer);
    });
}
