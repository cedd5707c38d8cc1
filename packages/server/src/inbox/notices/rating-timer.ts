import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { Transaction } from "kysely";
import type { RatingAskedChange } from "../../conversations/log/change.ts";
import type { Instant } from "../../db/tables/column-types.ts";
import type { HandoffTimerRow } from "../../db/tables/notices.ts";
import type { RatingColumns } from "../../db/tables/ratings.ts";
import type { ConversationRow, Tables } from "../../db/tables.ts";
import { MAIL_HOST } from "../../outbox/host-of.ts";
import type { EnqueueNotices } from "./notice-target.ts";

/** How long a visitor has to see in the widget that a rating is asked for before it is asked for by email. */
const UNSEEN_MS = 10 * MINUTE_MS;

/** Sets the timers of the emails that ask for a rating, for visitors who have left an address. */
export async function setRatingTimers(
  trx: Transaction<Tables>,
  changes: readonly RatingAskedChange[],
  now: Instant,
): Promise<void> {
  const asked = new Map(changes.filter(({ isTest }) => !isTest).map((change) => [change.conversationId, change]));
  if (asked.size === 0) return;
  const requests = await trx
    .selectFrom("handoffs")
    .select(["id", "conversationId", "organizationId"])
    .where("conversationId", "in", [...asked.keys()])
    .where("email", "is not", null)
    .orderBy("requestedAt")
    .execute();
  const own = requests.filter((row) => asked.get(row.conversationId)?.organizationId === row.organizationId);
  const latest = new Map(own.map((request) => [request.conversationId, request]));
  if (latest.size === 0) return;
  const timers = [...latest.values()].map(({ id: handoffId, conversationId, organizationId }) => ({
    conversationId,
    kind: "rating" as const,
    organizationId,
    handoffId,
    step: 0,
    dueAt: now + UNSEEN_MS,
  }));
  await trx
    .insertInto("handoffTimers")
    .values(timers)
    .onConflict((conflict) => conflict.columns(["conversationId", "kind"]).doNothing())
    .execute();
}

type Standing = Pick<ConversationRow, "handler" | "status"> & Pick<RatingColumns, "ratingAskedAt" | "ratedAt">;

/** Asks for a rating by email, unless the conversation was reopened, or the visitor has rated it or written again. */
export async function enqueueRating(
  trx: Transaction<Tables>,
  { conversationId, organizationId, handoffId }: HandoffTimerRow,
  { conversation, enqueue }: { conversation: Standing; enqueue: EnqueueNotices },
): Promise<void> {
  const { handler, status, ratingAskedAt, ratedAt } = conversation;
  if (handler !== "agent" || status !== "resolved" || ratingAskedAt === null || ratedAt !== null) return;
  const later = await trx
    .selectFrom("messages")
    .select("id")
    .where("conversationId", "=", conversationId)
    .where("role", "=", "user")
    .where("createdAt", ">", ratingAskedAt)
    .limit(1)
    .executeTakeFirst();
  if (later) return;
  const target = { notice: "rating", handoffId } as const;
  await enqueue(trx, { organizationId, conversationId }, [{ type: "email", host: MAIL_HOST, target }]);
}
