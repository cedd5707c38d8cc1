import { type Rating, rateMessage } from "@foyer/sdk";
import type { ChatEntries } from "./chat-entries.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import type { ReplyEntry } from "./conversation-state.ts";

/** Rates replies of the agent and messages of the team. */
export function createRating(
  { core: { visitor }, request, messages }: ConversationDeps,
  { editReply, patch }: ChatEntries,
) {
  /** A bad rating asks for a comment, which is sent with the same rating. @returns whether the server saved it */
  return async ({ key, id, rating: before }: ReplyEntry, rating: Rating, comment?: string): Promise<boolean> => {
    const conversation = visitor.current;
    if (!conversation || !id) return false;
    editReply(key, (reply) => ({ ...reply, rating, isCommentWanted: rating === "down" }));
    try {
      await rateMessage(request, conversation, { messageId: id, rating, comment });
      if (comment) patch({ announcement: messages.commentSent });
      return true;
    } catch {
      editReply(key, (reply) => ({ ...reply, rating: before }));
      patch({ announcement: messages.ratingFailed });
      return false;
    }
  };
}
