import type { RatedConversations } from "@foyer/contract";
import type { Generated } from "kysely";
import type { Instant } from "./column-types.ts";

/** Whether an agent asks visitors to rate conversations, see conversations/log/conversation-ratings.ts. */
export type AskRatingColumns = {
  /** null: never */
  askRating: RatedConversations | null;
  /** null: in the visitor's language */
  ratingQuestion: string | null;
};

/** The visitor's rating of the whole conversation. */
export type RatingColumns = {
  /** when the agent asked for it, at the first end of the conversation; null if it has not */
  ratingAskedAt: Instant | null;
  /** 1 to 5 */
  ratingScore: number | null;
  ratingComment: string | null;
  /** when it was first rated */
  ratedAt: Instant | null;
  ratingCorrections: number;
  /** the last request that a member had taken when it was first rated; null if only the agent answered */
  ratingHandoffId: string | null;
};

/** New conversations start with the defaults. */
export type RatingTable = { [Name in keyof RatingColumns]: Generated<RatingColumns[Name]> };
