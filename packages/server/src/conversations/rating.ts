import type { ConversationRating, RatingRequest } from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../errors.ts";
import { canRate } from "./log/conversation-ratings.ts";
import type { ConversationLog } from "./log/log.ts";
import { toRating } from "./rating-view.ts";
import type { ConversationService } from "./service.ts";
import type { Viewer } from "./store.ts";

/** `isMember`: a signed-in member rates, and not the visitor. */
type Given = { score: number; comment?: string | null; isMember: boolean };

type Parts = {
  agents: Pick<AgentService, "getPublic">;
  conversations: Pick<ConversationService, "existing">;
  log: Pick<ConversationLog, "rateConversation">;
};

export type ConversationRatings = ReturnType<typeof createRatingService>;

/** The ratings of whole conversations. */
export function createRatingService({ db }: Pick<Deps, "db">, { agents, conversations, log }: Parts) {
  return {
    async read(viewer: Viewer, id: string): Promise<RatingRequest> {
      const row = await conversations.existing(viewer, id);
      const { askRating, ratingQuestion } = await agents.getPublic(row.agentId);
      const isAllowed = canRate(row, Date.now());
      // A conversation that was reopened has not ended yet.
      const hasEnded = row.handler === "agent" && (row.epoch > 0 || row.status === "resolved");
      return {
        isAsked: askRating !== null && row.ratedAt === null && isAllowed && hasEnded,
        canRate: isAllowed,
        question: ratingQuestion,
        rating: toRating(row),
      };
    },
    /** @throws 404, 403 for a member, and 409 when the agent has not asked or it is too late */
    async rate(viewer: Viewer, id: string, { score, comment, isMember }: Given): Promise<ConversationRating> {
      const { organizationId, isTest } = await conversations.existing(viewer, id);
      if (isMember && isTest === 0) {
        throw new AppError(
          "FORBIDDEN",
          "Only the visitor can rate a conversation. Members can rate their own test chats.",
        );
      }
      const given = { score, comment: comment?.trim() || null };
      const result = await inTransaction(db, (trx) =>
        log.rateConversation(trx, { organizationId, conversationId: id }, given),
      );
      if (result.outcome === "missing") throw notFound("Conversation");
      if (result.outcome === "refused") throw refusal();
      return { ...given, ratedAt: new Date(result.ratedAt).toISOString() };
    },
  };
}

function refusal(): AppError {
  return new AppError(
    "CONFLICT",
    "This conversation cannot be rated now. The agent asks for a rating when a conversation ends (`askRating`). It can be given within 30 days and corrected within a day, at most 10 times.",
  );
}
