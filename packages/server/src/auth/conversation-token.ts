import type { Encryption } from "../encryption.ts";

const PREFIX = "fct_";

/** A bearer token that grants reading, rating, following and stopping one conversation, and nothing else. */
export function createConversationToken(encryption: Encryption, conversationId: string): string {
  return PREFIX + encryption.sign("conversation-token", conversationId);
}

export function looksLikeToken(bearer: string): boolean {
  return bearer.startsWith(PREFIX);
}

export function isTokenFor(encryption: Encryption, conversationId: string, token: string): boolean {
  return encryption.verify("conversation-token", conversationId, token.slice(PREFIX.length));
}
