import type { ConversationKey } from "@foyer/sdk";

/**
 * The conversation of a link in an email, `#foyer-conversation=<conversationId>.<token>`, or null. The fragment is
 * removed from the address bar immediately, because the token gives access to the conversation. Only the server's emails
 * contain tokens of this kind: anyone who begins a conversation has its other token, and could send it in a link.
 */
export function takeLinkedConversation(): ConversationKey | null {
  const [, id, token] = /^#foyer-conversation=(\w+)\.(fcl_[\w-]+)$/.exec(location.hash) ?? [];
  if (!id || !token) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return { id, token };
}
