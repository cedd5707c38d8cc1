import type { ConversationRating } from "@foyer/contract";
import type { RatingColumns } from "../db/tables/ratings.ts";

/** @returns null if the visitor has not rated the conversation */
export function toRating({
  ratingScore: score,
  ratingComment: comment,
  ratedAt,
}: Pick<RatingColumns, "ratingScore" | "ratingComment" | "ratedAt">): ConversationRating | null {
  if (score === null || ratedAt === null) return null;
  return { score, comment, ratedAt: new Date(ratedAt).toISOString() };
}
