import type { Rating } from "@foyer/contract";
import { notFound } from "../errors.ts";
import { isId } from "../ids.ts";
import type { ConversationLog } from "./log/log.ts";
import type { ConversationService } from "./service.ts";
import type { Viewer } from "./store.ts";

type RatingBody = { messageId: string; rating: Rating; comment?: string | null };
type Parts = {
  conversations: Pick<ConversationService, "existing">;
  log: Pick<ConversationLog, "rate" | "markRead" | "revokeLinks">;
};

export type ConversationMarks = ReturnType<typeof createConversationMarks>;

/** What readers leave on a conversation: the ratings of visitors, and the read marks and revoked links of members. */
export function createConversationMarks({ conversations, log }: Parts) {
  return {
    async rate(viewer: Viewer, id: string, { messageId, rating, comment }: RatingBody): Promise<void> {
      const { organizationId } = await conversations.existing(viewer, id);
      const given = { organizationId, conversationId: id, messageId, rating, comment: comment?.trim() || null };
      if (!isId("msg", messageId) || !(await log.rate(given))) throw notFound("Message");
    },
    async markRead(organizationId: string, id: string): Promise<void> {
      await conversations.existing({ organizationId }, id);
      if (!(await log.markRead(organizationId, id, Date.now()))) throw notFound("Conversation");
    },
    /** Invalidates the links in all emails that were sent about the conversation. */
    async revokeLinks(organizationId: string, id: string): Promise<void> {
      if (!isId("conv", id) || !(await log.revokeLinks(organizationId, id))) throw notFound("Conversation");
    },
  };
}
