import { deleteConversation, FoyerError } from "@foyer/sdk";
import type { ChatEntries } from "./chat-entries.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import type { createConversationLoader } from "./conversation-loader.ts";
import type { createConversationStarter } from "./conversation-starter.ts";
import type { ReplyReader } from "./reply-reader.ts";

type Parts = {
  entries: ChatEntries;
  reader: ReplyReader;
  starting: ReturnType<typeof createConversationStarter>;
  restoring: ReturnType<typeof createConversationLoader>;
};

export function createDeletion(
  { core: { visitor }, request, messages }: ConversationDeps,
  { entries, reader, starting, restoring }: Parts,
) {
  return async (): Promise<boolean> => {
    const conversation = visitor.current;
    if (!conversation) return false;
    reader.leave();
    const isDeleted = await deleteConversation(request, conversation).then(() => true, isGone);
    if (isDeleted) {
      visitor.forget(conversation.id);
      starting.startNew();
    } else restoring.restore();
    entries.patch({ announcement: isDeleted ? messages.conversationDeleted : messages.conversationNotDeleted });
    return isDeleted;
  };
}

/** Whether deleting failed because the conversation no longer exists. */
function isGone(error: unknown): boolean {
  return error instanceof FoyerError && error.code === "NOT_FOUND";
}
