import { sql, type Transaction } from "kysely";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { MessageRow, Tables } from "../../db/tables.ts";
import { newId } from "../../ids.ts";
import { checkConversationSize } from "../conversation-size.ts";
import { createPreview, describeMessage } from "../message-preview.ts";
import type { ConversationRef, Emit } from "./change.ts";

export function createMemberMessages(emit: Emit) {
  return {
    /**
     * Stores a member's message. @returns null unless the member has the conversation
     * @throws 409 when the conversation is full
     */
    async appendMemberMessage(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: ConversationRef,
      {
        userId,
        name,
        content,
        attachments,
      }: { userId: string; name: string; content: string; attachments: readonly AttachmentRow[] },
    ): Promise<{ agentId: string; message: MessageRow } | null> {
      const now = Date.now();
      const bytes = Buffer.byteLength(content);
      const conversation = await trx
        .updateTable("conversations")
        .set({
          messageCount: sql`"messageCount" + 1`,
          textBytes: sql`"textBytes" + ${bytes}`,
          lastMessageRole: "assistant",
          lastMessagePreview: createPreview(describeMessage({ content, attachments })),
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
        .where("trashedAt", "is", null)
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
        fallbackFrom: null,
        agentVersion: null,
        promptState: null,
        cachedInputTokens: null,
        cost: null,
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
      const place = {
        organizationId,
        agentId: conversation.agentId,
        conversationId,
        isTest: conversation.isTest === 1,
        epoch: conversation.epoch,
      };
      const sent = {
        ...place,
        kind: "member_message",
        handoff,
        messageId: message.id,
        userId,
        at: now,
        attachments,
      } as const;
      if (handoff.answeredAt !== null) await emit(trx, [sent]);
      else {
        await trx.updateTable("handoffs").set({ answeredAt: now }).where("id", "=", handoff.id).execute();
        await emit(trx, [{ ...place, kind: "answered", handoff, userId, at: now }, sent]);
      }
      return { agentId: conversation.agentId, message };
    },
  };
}
