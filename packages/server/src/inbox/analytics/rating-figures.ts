import type { RatingFigures } from "@foyer/contract";
import { type RawBuilder, sql } from "kysely";

/** The ratings of a group, and how many conversations were not rated although the agent asked for it. */
export type RatingCounts = Record<"unanswered" | "score1" | "score2" | "score3" | "score4" | "score5", number>;

/** Whether a request is the last one of its conversation that a member took. A rating would count for it. */
export const isLastTaken = sql<boolean>`"handoffs"."takenAt" is not null and not exists (
  select 1 from "handoffs" as "later"
  where "later"."conversationId" = "handoffs"."conversationId"
    and "later"."organizationId" = "handoffs"."organizationId" and "later"."takenAt" is not null
    and ("later"."requestedAt", "later"."id") > ("handoffs"."requestedAt", "handoffs"."id"))`;

/** Whether a member has had the conversation. */
export const wasTaken = sql<boolean>`exists (
  select 1 from "handoffs" as "taken"
  where "taken"."conversationId" = "conversations"."id"
    and "taken"."organizationId" = "conversations"."organizationId" and "taken"."takenAt" is not null)`;

/** @param counts whether the rating of a conversation counts here */
export function selectScores(counts: RawBuilder<unknown>) {
  const select = <const Name extends string>(score: number, name: Name) =>
    toCount(sql`case when "conversations"."ratingScore" = ${sql.lit(score)} and ${counts} then 1 else 0 end`).as(name);
  return [
    select(1, "score1"),
    select(2, "score2"),
    select(3, "score3"),
    select(4, "score4"),
    select(5, "score5"),
  ] as const;
}

/** @param counts whether a rating would count here, if the visitor gave one */
export function selectUnanswered(counts: RawBuilder<unknown>) {
  return toCount(sql`case when "conversations"."ratingAskedAt" is not null and "conversations"."ratedAt" is null
    and ${counts} then 1 else 0 end`).as("unanswered");
}

export function toRatingFigures({ unanswered, ...counts }: RatingCounts): RatingFigures {
  const scores = [counts.score1, counts.score2, counts.score3, counts.score4, counts.score5];
  const rated = scores.reduce((sum, count) => sum + count, 0);
  const points = scores.reduce((sum, count, index) => sum + count * (index + 1), 0);
  const asked = rated + unanswered;
  return {
    asked,
    rated,
    responseRate: asked === 0 ? null : (rated / asked) * 100,
    average: rated === 0 ? null : Math.round((points / rated) * 100) / 100,
    scores,
  };
}

export function toCount(value: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`cast(coalesce(sum(${value}), 0) as bigint)`;
}
