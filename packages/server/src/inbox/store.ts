import { sql, type Transaction } from "kysely";
import { checkConversationSize } from "../conversations/conversation-size.ts";
import { createPreview } from "../conversations/message-preview.ts";
import type { HandoffRow } from "../db/tables/handoff.ts";
import type { MessageRow, Tables } from "../db/tables.ts";
import { newId } from "../ids.ts";
import { hasFormerMember } from "./former-members.ts";
import { newHandoff } from "./new-handoff.ts";

type Conversation = { organizationId: string; conversationId: string };

/** The result of a handler change. `handoff` is the request that it affects. */
export type HandlerChange = { agentId: string; epoch: number; isTest: boolean; handoff: HandoffRow };

/** `first` is `request` if no open request existed, and `taken` if no member had taken the open request before. */
type Assignment = HandlerChange & { first: "request" | "taken" | null };

export type Ending = {
  handoff: Pick<HandoffRow, "endedBy" | "endedById" | "note">;
  from: "waiting" | "waiting or human";
  /** returns the conversation only if it is in this epoch; null for any epoch */
  epoch: number | null;
};

/**
 * Assigns the conversation to a member. This is atomic: only one of several concurrent calls succeeds.
 * @param mayReplace whether the member may replace an assignee who still belongs to the organization
 * @returns null when a member has the conversation; with `mayReplace`, only when that member already has it
 */
export async function assignTo(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: Conversation,
  { userId, mayReplace }: { userId: string; mayReplace: boolean },
): Promise<Assignment | null> {
  const now = Date.now();
  const conversation = await trx
    .updateTable("conversations")
    .set({
      handler: "human",
      assigneeId: userId,
      epoch: sql`epoch + 1`,
      minReplyEpoch: sql`epoch + 1`,
      waitingSince: null,
      changedAt: now,
      failedTools: 0,
    })
    .where("id", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .where(({ eb, or }) =>
      or([
        eb("handler", "<>", "human"),
        hasFormerMember,
        ...(mayReplace ? [sql<boolean>`"assigneeId" is distinct from ${userId}`] : []),
      ]),
    )
    .returning(["agentId", "epoch", "isTest"])
    .executeTakeFirst();
  if (!conversation) return null;
  const taken = await trx
    .updateTable("handoffs")
    .set({ takenAt: sql`coalesce("takenAt", ${now})`, takenBy: sql`coalesce("takenBy", ${userId})` })
    .where("conversationId", "=", conversationId)
    .where("endedAt", "is", null)
    .returningAll()
    .executeTakeFirst();
  const newRequest = { organizationId, conversationId, cause: "member" as const, reason: null };
  const handoff = taken ?? newHandoff(newRequest, conversation.agentId, { now, promisedAt: null, takenBy: userId });
  const { agentId, epoch } = conversation;
  const first = taken ? (taken.takenAt === now ? "taken" : null) : "request";
  return { agentId, epoch, isTest: conversation.isTest === 1, handoff, first };
}

export async function insertHandoff(trx: Transaction<Tables>, handoff: HandoffRow): Promise<void> {
  await trx.insertInto("handoffs").values(handoff).execute();
}

/**
 * Returns the conversation to the agent and ends the request.
 * @returns null when the conversation is in another epoch, or not in one of the states `from`
 */
export async function returnToAgent(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: Conversation,
  { handoff, from, epoch }: Ending,
): Promise<HandlerChange | null> {
  const now = Date.now();
  const conversation = await trx
    .updateTable("conversations")
    .set({
      handler: "agent",
      assigneeId: null,
      epoch: sql`epoch + 1`,
      waitingSince: null,
      changedAt: now,
      failedTools: 0,
    })
    .where("id", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .where("handler", "in", from === "waiting" ? ["waiting"] : ["waiting", "human"])
    .$if(epoch !== null, (query) => query.where("epoch", "=", epoch))
    .returning(["agentId", "epoch", "isTest"])
    .executeTakeFirst();
  if (!conversation) return null;
  const ended = await trx
    .updateTable("handoffs")
    .set({ endedAt: now, ...handoff })
    .where("conversationId", "=", conversationId)
    .where("endedAt", "is", null)
    .returningAll()
    .executeTakeFirstOrThrow();
  return {
    agentId: conversation.agentId,
    epoch: conversation.epoch,
    isTest: conversation.isTest === 1,
    handoff: ended,
  };
}

/** Updates the reason and the email address of the open request. @returns false when there is none */
export async function updateRequest(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: Conversation,
  { reason, email }: { reason: string | null; email: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("handoffs")
    .set((x) => ({
      reason: x.fn.coalesce(x.val(reason), x.ref("reason")),
      email: x.fn.coalesce(x.val(email), x.ref("email")),
    }))
    .where("conversationId", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .where("endedAt", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await trx
    .updateTable("conversations")
    .set({ changedAt: Date.now() })
    .where("id", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .execute();
  return true;
}

/**
 * Stores a member's message. @returns null unless the member has the conversation
 * @throws 409 when the conversation is full
 */
export async function addMessage(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: Conversation,
  { userId, name, content }: { userId: string; name: string; content: string },
) {
  const now = Date.now();
  const bytes = Buffer.byteLength(content);
  const conversation = await trx
    .updateTable("conversations")
    .set({
      messageCount: sql`"messageCount" + 1`,
      textBytes: sql`"textBytes" + ${bytes}`,
      lastMessageRole: "assistant",
      lastMessagePreview: createPreview(content),
      lastMessageAt: now,
      updatedAt: now,
      changedAt: now,
      // A member who answers has read the conversation, so mark it as read.
      readAt: now,
    })
    .where("id", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .where("handler", "=", "human")
    .where("assigneeId", "=", userId)
    .returning(["agentId", "epoch", "isTest", "messageCount", "textBytes", "toolBytes"])
    .executeTakeFirst();
  if (!conversation) return null;
  checkConversationSize(conversation);
  const last = await trx
    .selectFrom("messages")
    .select((x) => x.fn.max("position").as("position"))
    .where("conversationId", "=", conversationId)
    .executeTakeFirst();
  const message: MessageRow = {
    id: newId("msg"),
    conversationId,
    position: Number(last?.position ?? -1) + 1,
    role: "assistant",
    content,
    pieces: null,
    page: null,
    messageKey: null,
    isSupplied: 0,
    removedLinks: null,
    feedback: null,
    feedbackComment: null,
    stopReason: "end_turn",
    stopRequested: 0,
    model: null,
    inputTokens: null,
    outputTokens: null,
    authorId: userId,
    // Members who signed up with an email link have no name until they enter one.
    authorName: name.trim() || "Member",
    createdAt: now,
    updatedAt: now,
  };
  await trx.insertInto("messages").values(message).execute();
  const handoff = await trx
    .selectFrom("handoffs")
    .selectAll()
    .where("conversationId", "=", conversationId)
    .where("endedAt", "is", null)
    .executeTakeFirstOrThrow();
  const isFirst = handoff.answeredAt === null;
  if (isFirst) await trx.updateTable("handoffs").set({ answeredAt: now }).where("id", "=", handoff.id).execute();
  return {
    agentId: conversation.agentId,
    epoch: conversation.epoch,
    isTest: conversation.isTest === 1,
    handoff,
    message,
    isFirst,
  };
}
