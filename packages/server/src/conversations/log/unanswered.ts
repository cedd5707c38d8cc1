import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Instant } from "../../db/tables/column-types.ts";
import type { Tables } from "../../db/tables.ts";
import type { ConversationRef } from "./change.ts";

/** When the member of an open request got its conversation. */
export const assignedAt = sql<number>`coalesce(handoffs."assignedAt", handoffs."takenAt")`;

/** Whether no member has written since the conversation was assigned. */
export const hasNoAnswer = sql<boolean>`not exists (select 1 from messages
  where messages."conversationId" = handoffs."conversationId" and messages."authorId" is not null
  and messages."createdAt" >= ${assignedAt})`;

/**
 * Whether a member has kept the visitor waiting since this time. After an answer of a colleague, the visitor waits only
 * once they have written again.
 */
export const isUnanswered = (since: Instant): RawBuilder<boolean> => sql<boolean>`(conversations.handler = 'human'
  and conversations.status = 'open' and handoffs."endedAt" is null and ${assignedAt} < ${since}
  and (handoffs."answeredAt" is null
    or (conversations."lastMessageRole" = 'user' and conversations."lastMessageAt" < ${since}))
  and ${hasNoAnswer})`;

/** Locks a conversation. @returns whether this member still keeps its visitor waiting */
export async function lockUnanswered(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: ConversationRef,
  { userId, since }: { userId: string; since: Instant },
): Promise<boolean> {
  const locked = await trx
    .updateTable("conversations")
    .set((x) => ({ changedAt: x.ref("changedAt") }))
    .where("id", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .where("assigneeId", "=", userId)
    .where("trashedAt", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (!locked) return false;
  const unanswered = await trx
    .selectFrom("conversations")
    .innerJoin("handoffs", "handoffs.conversationId", "conversations.id")
    .select("conversations.id")
    .where("conversations.id", "=", conversationId)
    .where("conversations.organizationId", "=", organizationId)
    .where(isUnanswered(since))
    .executeTakeFirst();
  return unanswered !== undefined;
}
