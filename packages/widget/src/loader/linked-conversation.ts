import type { ConversationKey } from "@foyer/sdk";

/**
 * The conversation of a link in an email, `#foyer-conversation=<conversationId>.<conversationToken>`, or null. The
 * fragment is removed from the address bar immediately, because the token gives access to the conversation.
 */
export function takeLinkedConversation(): ConversationKey | null {
  const [, id, token] = /^#foyer-conversation=(\w+)\.([\w-]+)$/.exec(location.hash) ?? [];
  if (!id || !token) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return { id, token };
}
