import type { Secrets } from "../encryption.ts";

const PREFIX = "fct_";

/** A bearer for one conversation: who holds it reads, rates, follows and stops that one, and nothing else. */
export function conversationToken(secrets: Secrets, conversationId: string): string {
  return PREFIX + secrets.sign("conversation-token", conversationId);
}

export function looksLikeToken(bearer: string): boolean {
  return bearer.startsWith(PREFIX);
}

export function isTokenFor(secrets: Secrets, conversationId: string, token: string): boolean {
  return secrets.verify("conversation-token", conversationId, token.slice(PREFIX.length));
}
