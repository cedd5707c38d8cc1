import type { Rating } from "@foyer/contract";
import type { Db } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { ConversationRef, Emit } from "./change.ts";
import { lockConversation } from "./marks.ts";

export type MessageRating = ConversationRef & { messageId: string; rating: Rating; comment: string | null };

/**
 * The minimum time between two events about the rating of one message, in milliseconds. A visitor who changes a rating
 * again and again causes one event when it is over.
 */
const RATING_EVENTS_EVERY_MS = 60_000;

export function createRatings(db: Db, emit: Emit) {
  return {
    /** Stores a rating and replaces an earlier one. @returns false when the conversation has no such message */
    async rate({ organizationId, conversationId, messageId, rating, comment }: MessageRating): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        // The second of two simultaneous ratings waits here, and then sees and replaces the first one.
        const conversation = await lockConversation(trx, { organizationId, conversationId });
        if (!conversation) return false;
        const ofMessage = { id: messageId, conversationId };
        const before = await trx
          .selectFrom("messages")
          .select(["feedback", "feedbackComment", "createdAt", "role", "position"])
          .select(["authorName", "isSupplied", "ratingReportedAt"])
          .where((x) => x.and(ofMessage))
          .executeTakeFirst();
        if (!before) return false;
        if (before.feedback === rating && before.feedbackComment === comment) return true;
        const now = Date.now();
        const nextEventAt = Number(before.ratingReportedAt ?? 0) + RATING_EVENTS_EVERY_MS;
        const isReported = nextEventAt <= now;
        await trx
          .updateTable("messages")
          .set({ feedback: rating, feedbackComment: comment })
          .set(
            isReported
              ? { ratingReported: JSON.stringify({ rating, comment }), ratingReportedAt: now, ratingDueAt: null }
              : { ratingDueAt: nextEventAt },
          )
          .where((x) => x.and(ofMessage))
          .execute();
        const { agentId, isTest } = conversation;
        const place = { organizationId, agentId, conversationId, isTest: isTest === 1 };
        const { role, position, createdAt: sentAt, feedback: previous } = before;
        const isByAgent = before.authorName === null && before.isSupplied === 0;
        const message = { messageId, role, position, sentAt, isByAgent };
        await emit(trx, [{ ...place, kind: "rated", ...message, rating, comment, previous, isReported }]);
        return true;
      });
    },
    /**
     * Reports a rating that changed within a minute of its last event, if it is due and differs from what was reported.
     * Whichever process resets the due time reports it.
     */
    async reportRating(messageId: string, now: number): Promise<void> {
      await inTransaction(db, async (trx) => {
        const due = await trx
          .selectFrom("messages")
          .innerJoin("conversations", "conversations.id", "messages.conversationId")
          .select(["messages.conversationId", "conversations.organizationId"])
          .where("messages.id", "=", messageId)
          .where("ratingDueAt", "<=", now)
          .executeTakeFirst();
        const conversation = due && (await lockConversation(trx, due));
        if (!conversation) return;
        const message = await trx
          .updateTable("messages")
          .set({ ratingDueAt: null })
          .where("id", "=", messageId)
          .where("ratingDueAt", "<=", now)
          .returning(["feedback", "feedbackComment", "ratingReported"])
          .executeTakeFirst();
        if (!message?.feedback) return;
        const data = { rating: message.feedback, comment: message.feedbackComment };
        const reported = JSON.stringify(data);
        // The visitor has returned to the rating that was reported.
        if (reported === message.ratingReported) return;
        await trx
          .updateTable("messages")
          .set({ ratingReported: reported, ratingReportedAt: now })
          .where("id", "=", messageId)
          .execute();
        await emit(trx, [{ ...due, agentId: conversation.agentId, kind: "rating_reported", messageId, ...data }]);
      });
    },
    /** Delays the report of a rating that could not be reported. */
    async postponeRating(messageId: string, until: number): Promise<void> {
      const rated = db.updateTable("messages").where("id", "=", messageId).where("ratingDueAt", "is not", null);
      await rated.set({ ratingDueAt: until }).execute();
    },
  };
}
