import type { Rating } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Db } from "../db/open.ts";
import type { Instant } from "../db/tables/column-types.ts";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { AnswerRecorder } from "../documents/answers/recorder.ts";
import type { RecordEvents } from "../events/record-events.ts";
import type { ConversationCounters } from "./analytics/counters.ts";
import { readQuestionBefore } from "./question-before.ts";

export type RatingHooks = {
  count: ConversationCounters["count"];
  recordRating: AnswerRecorder["recordRating"];
  onBadRating(trx: Transaction<Tables>, rated: { agentId: string; conversationId: string }): Promise<void>;
  recordEvents: RecordEvents;
};

type MessageRating = { conversationId: string; messageId: string; rating: Rating; comment: string | null };

/**
 * The minimum time between two events about the rating of one message, in milliseconds. A visitor who changes a rating
 * again and again causes one event when it is over.
 */
const RATING_EVENTS_EVERY_MS = 60_000;

/** Read marks of members and ratings of visitors. */
export function createMarkStore(db: Db) {
  return {
    /** @returns false when the organization has no such conversation */
    async revokeLinks(organizationId: string, id: string): Promise<boolean> {
      const result = await db
        .updateTable("conversations")
        .set((x) => ({ linkVersion: x("linkVersion", "+", 1) }))
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    /** @returns false when the organization has no such conversation */
    async markRead(organizationId: string, id: string, now: Instant): Promise<boolean> {
      const result = await db
        .updateTable("conversations")
        .set({ readAt: now })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    /**
     * Stores a rating, replaces an earlier one, and counts it for the hour in which the message was sent.
     * @returns false when the conversation has no such message
     */
    async rate(
      { conversationId, messageId, rating, comment }: MessageRating,
      { count, recordRating, onBadRating, recordEvents }: RatingHooks,
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const message = trx
          .updateTable("messages")
          .where("id", "=", messageId)
          .where("conversationId", "=", conversationId);
        // Locks the row, so that the second of two simultaneous ratings sees the first one and replaces it in the
        // counts.
        const before = await message
          .set((x) => ({ feedback: x.ref("feedback") }))
          .returning([
            "feedback",
            "feedbackComment",
            "createdAt",
            "role",
            "position",
            "authorName",
            "isSupplied",
            "ratingReportedAt",
          ])
          .executeTakeFirst();
        if (!before) return false;
        if (before.feedback === rating && before.feedbackComment === comment) return true;
        const now = Date.now();
        const nextEventAt = Number(before.ratingReportedAt ?? 0) + RATING_EVENTS_EVERY_MS;
        const isReportedLater = nextEventAt > now;
        await message
          .set({ feedback: rating, feedbackComment: comment })
          .set(
            isReportedLater
              ? { ratingDueAt: nextEventAt }
              : { ratingReported: JSON.stringify({ rating, comment }), ratingReportedAt: now, ratingDueAt: null },
          )
          .execute();
        const conversation = await trx
          .selectFrom("conversations")
          .select(["agentId", "organizationId", "isTest"])
          .where("id", "=", conversationId)
          .executeTakeFirst();
        if (!conversation) return true;
        if (!isReportedLater)
          await recordEvents(trx, [
            {
              type: "message.rated",
              organizationId: conversation.organizationId,
              agentId: conversation.agentId,
              conversationId,
              data: () => ({ messageId, rating, comment }),
            },
          ]);
        const isByAgent = before.authorName === null && before.isSupplied === 0;
        const isNewlyBad = rating === "down" && before.feedback !== "down" && before.role === "assistant";
        if (isNewlyBad && isByAgent) {
          await onBadRating(trx, { agentId: conversation.agentId, conversationId });
        }
        // Count only ratings of the agent's own replies in conversations with visitors.
        if (conversation.isTest === 1 || before.feedback === rating || !isByAgent) return true;
        const change = (value: Rating) => Number(value === rating) - Number(value === before.feedback);
        const ratings = { ratedUp: change("up"), ratedDown: change("down") };
        const { agentId, organizationId } = conversation;
        await count(trx, [{ agentId, at: before.createdAt, ...ratings }]);
        const question =
          before.role === "assistant" ? await readQuestionBefore(trx, conversationId, before.position) : null;
        if (question !== null) {
          const reply = { organizationId, agentId, conversationId, messageId, question };
          await recordRating(trx, reply, { rating, at: before.createdAt });
        }
        return true;
      });
    },
  };
}
