import type { Transaction } from "kysely";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { Tables } from "../../db/tables.ts";

type Request = Pick<HandoffRow, "id" | "organizationId" | "conversationId" | "requestedAt">;
type Earlier = Pick<HandoffRow, "requestedAt" | "endedAt" | "answeredAt">;

/** The maximum number of earlier requests that are read. */
const MAX_EARLIER = 100;

/** From when the targets of a request count, in milliseconds. */
export type Beginnings = { answer: number; resolution: number };

/**
 * From when the targets of a request count. If the conversation came from another team, or from a member who has left
 * the organization, they count from when the visitor asked for a person, because the visitor's wait did not restart
 * either. If someone had already answered, the answer counts from the first message that has not been answered since.
 */
export async function readBeginnings(trx: Transaction<Tables>, request: Request): Promise<Beginnings> {
  const { id, organizationId, conversationId } = request;
  const earlier = await trx
    .selectFrom("handoffs")
    .select(["requestedAt", "endedAt", "answeredAt"])
    .where("organizationId", "=", organizationId)
    .where("conversationId", "=", conversationId)
    .where("id", "<>", id)
    .where("endedBy", "in", ["moved", "left"])
    .orderBy("endedAt", "desc")
    .limit(MAX_EARLIER)
    .execute();
  const { resolution, answer } = followBack(request.requestedAt, earlier);
  return { resolution, answer: answer ?? (await readUnanswered(trx, request)) ?? request.requestedAt };
}

/** Follows the requests back of which each ended when the next one began. `answer` is null if one was answered. */
function followBack(requestedAt: number, earlier: readonly Earlier[]): { answer: number | null; resolution: number } {
  let from = requestedAt;
  let isAnswered = false;
  for (const request of earlier) {
    if (request.endedAt !== from) break;
    from = request.requestedAt;
    isAnswered ||= request.answeredAt !== null;
  }
  return { answer: isAnswered ? null : from, resolution: from };
}

/** When the visitor wrote the first message that has not been answered. */
async function readUnanswered(trx: Transaction<Tables>, { conversationId }: Request): Promise<number | null> {
  const lastAnswer = trx
    .selectFrom("messages")
    .select((x) => x.fn.coalesce(x.fn.max("position"), x.lit(-1)).as("position"))
    .where("conversationId", "=", conversationId)
    .where("role", "=", "assistant");
  const first = await trx
    .selectFrom("messages")
    .select("createdAt")
    .where("conversationId", "=", conversationId)
    .where("role", "=", "user")
    .where("position", ">", lastAnswer)
    .orderBy("position")
    .limit(1)
    .executeTakeFirst();
  return first?.createdAt ?? null;
}
