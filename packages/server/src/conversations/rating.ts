import type { ConversationRating, RatingRequest } from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import { readRatingToken } from "../auth/conversation-token.ts";
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
  /** Called when the visitor's page has read that a rating is asked for, and shows the question. */
  onSeen(conversationId: string): Promise<void>;
};

/** What the link of an email leads to. */
type LinkedRating = RatingRequest & {
  agentName: string;
  /** the language tag of the visitor's browser */
  language: string | null;
};

export type ConversationRatings = ReturnType<typeof createRatingService>;

/** The ratings of whole conversations. */
export function createRatingService(
  { db, encryption }: Pick<Deps, "db" | "encryption">,
  { agents, conversations, log, onSeen }: Parts,
) {
  async function find(viewer: Viewer, id: string) {
    const row = await conversations.existing(viewer, id);
    const agent = await agents.getPublic(row.agentId);
    const isAllowed = canRate(row, Date.now());
    // A conversation that was reopened has not ended yet.
    const hasEnded = row.handler === "agent" && row.status === "resolved";
    const asked: RatingRequest = {
      isAsked: agent.askRating !== null && row.ratedAt === null && isAllowed && hasEnded,
      canRate: isAllowed,
      question: agent.ratingQuestion,
      rating: toRating(row),
    };
    return { row, agent, asked };
  }

  return {
    async read(viewer: Viewer, id: string): Promise<RatingRequest> {
      const { asked } = await find(viewer, id);
      if (asked.isAsked && "conversationId" in viewer) await onSeen(id);
      return asked;
    },
    /**
     * The holder of an emailed link, who can rate the conversation.
     * @returns `expired` for a link that the server sent too long ago, and null for one that it never sent
     */
    linkHolder(id: string, token: string): Viewer | "expired" | null {
      const link = readRatingToken(encryption, id, token);
      if (link?.isExpired) return "expired";
      const proof = { userToken: null, userId: null, userHash: null };
      return link && { conversationId: id, linkVersion: link.linkVersion, proof };
    },
    /** @throws 404, and 401 when the links of the conversation were revoked */
    async readLinked(viewer: Viewer, id: string): Promise<LinkedRating> {
      const { row, agent, asked } = await find(viewer, id);
      const { language = null }: { language?: string | null } = row.context ? JSON.parse(row.context) : {};
      return { ...asked, agentName: agent.name, language };
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
