import { DAY_MS } from "@foyer/contract/rules/time";
import { sql, type Transaction } from "kysely";
import type { Instant } from "../../db/tables/column-types.ts";
import type { RatingColumns } from "../../db/tables/ratings.ts";
import type { Tables } from "../../db/tables.ts";
import type { ConversationRef, ConversationRefs, Emit } from "./change.ts";

export type GivenRating = { score: number; comment: string | null };

/** `refused`: the agent has not asked, or it is too late to rate or to correct. */
export type RatingOutcome =
  | { outcome: "missing" }
  | { outcome: "refused" }
  | ({ outcome: "stored"; ratedAt: Instant } & GivenRating);

/** How long the question stays open, and how long a rating can be corrected, in milliseconds. */
const QUESTION_OPEN_MS = 30 * DAY_MS;
const CORRECTABLE_MS = DAY_MS;
const MAX_CORRECTIONS = 10;

const columns = [
  "agentId",
  "isTest",
  "ratingAskedAt",
  "ratingScore",
  "ratingComment",
  "ratedAt",
  "ratingCorrections",
  "ratingHandoffId",
] as const;

/** Stores a visitor's rating of a whole conversation. */
export function createConversationRatings(emit: Emit) {
  return {
    async rateConversation(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: ConversationRef,
      { score, comment }: GivenRating,
    ): Promise<RatingOutcome> {
      // The second of two simultaneous ratings waits here, and then corrects the first one.
      const before = await trx
        .updateTable("conversations")
        .set((x) => ({ changedAt: x.ref("changedAt") }))
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("trashedAt", "is", null)
        .returning(columns)
        .executeTakeFirst();
      if (!before) return { outcome: "missing" };
      const now = Date.now();
      const { ratedAt } = before;
      const stored = { outcome: "stored", score, comment, ratedAt: ratedAt ?? now } as const;
      if (before.ratingScore === score && before.ratingComment === comment) return stored;
      if (!canRate(before, now)) return { outcome: "refused" };
      const handoff = await trx
        .selectFrom("handoffs")
        .select(["id", "takenBy"])
        .where("organizationId", "=", organizationId)
        .where("conversationId", "=", conversationId)
        .where("takenAt", "is not", null)
        .$if(ratedAt !== null, (query) => query.where("id", "=", before.ratingHandoffId ?? ""))
        .orderBy("requestedAt", "desc")
        .limit(1)
        .executeTakeFirst();
      await trx
        .updateTable("conversations")
        .set({ ratingScore: score, ratingComment: comment, ratedAt: stored.ratedAt })
        .set(ratedAt === null ? { ratingHandoffId: handoff?.id ?? null } : {})
        .set((x) => ({ ratingCorrections: x("ratingCorrections", "+", ratedAt === null ? 0 : 1) }))
        // Live streams read the conversations that people had by this time.
        .set({ changedAt: sql`case when "changedAt" = 0 then "changedAt" else ${now} end` })
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .execute();
      const { agentId, isTest } = before;
      const place = { organizationId, conversationId, agentId, isTest: isTest === 1 };
      const memberId = handoff?.takenBy ?? null;
      const isCorrection = ratedAt !== null;
      await emit(trx, [{ ...place, kind: "conversation_rated", score, comment, memberId, isCorrection }]);
      return stored;
    },
  };
}

/**
 * Asks the visitors of conversations that have ended for a rating, if their agents do so. A conversation that ends again
 * is not asked about again. Call it in the transaction that ends the conversations.
 */
export async function askAllForRating(
  trx: Transaction<Tables>,
  { organizationId, conversationIds }: ConversationRefs,
  emit: Emit,
): Promise<void> {
  const asked = await trx
    .updateTable("conversations")
    .set({ ratingAskedAt: Date.now() })
    .where("id", "in", conversationIds)
    .where("organizationId", "=", organizationId)
    .where("ratingAskedAt", "is", null)
    .where("trashedAt", "is", null)
    .where(
      sql<boolean>`exists (select 1 from "agents" where "agents"."id" = "conversations"."agentId"
        and ("agents"."askRating" = 'all' or "agents"."askRating" = 'handed_over' and exists (
          select 1 from "handoffs" where "handoffs"."conversationId" = "conversations"."id"
            and "handoffs"."takenAt" is not null)))`,
    )
    .returning(["id", "agentId", "isTest"])
    .execute();
  if (asked.length === 0) return;
  const toChange = ({ id, agentId, isTest }: (typeof asked)[number]) =>
    ({ organizationId, conversationId: id, agentId, isTest: isTest === 1, kind: "rating_asked" }) as const;
  await emit(trx, asked.map(toChange));
}

type Standing = Pick<RatingColumns, "ratingAskedAt" | "ratedAt" | "ratingCorrections">;

/** Whether a rating is accepted now: the first one, or a correction. */
export function canRate({ ratingAskedAt, ratedAt, ratingCorrections }: Standing, now: Instant): boolean {
  if (ratedAt !== null) {
    return ratedAt > now - CORRECTABLE_MS && ratingCorrections < MAX_CORRECTIONS;
  }
  return ratingAskedAt !== null && ratingAskedAt > now - QUESTION_OPEN_MS;
}
