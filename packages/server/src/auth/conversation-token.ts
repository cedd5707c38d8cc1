import { DAY_MS } from "@foyer/contract/rules/time";
import type { Encryption } from "../encryption.ts";

const PREFIX = "fct_";
const LINK_PREFIX = "fcl_";
const LINK_VALID_MS = 30 * DAY_MS;

/** A bearer token that grants reading, rating, following and stopping one conversation, and nothing else. */
export function createConversationToken(encryption: Encryption, conversationId: string): string {
  return PREFIX + encryption.sign("conversation-token", conversationId);
}

/** Whether a bearer token is a conversation's token or the token of a link. */
export function looksLikeToken(bearer: string): boolean {
  return bearer.startsWith(PREFIX) || isLinkToken(bearer);
}

export function isTokenFor(encryption: Encryption, conversationId: string, token: string): boolean {
  return (
    token.startsWith(PREFIX) && encryption.verify("conversation-token", conversationId, token.slice(PREFIX.length))
  );
}

export function isLinkToken(bearer: string): boolean {
  return bearer.startsWith(LINK_PREFIX);
}

/**
 * Creates the token of a link in an email, which is valid for 30 days. It is sent only by email, so a link proves that
 * the server has sent it. It is not valid after the conversation's `linkVersion` has changed.
 */
export function createLinkToken(
  encryption: Encryption,
  { id, linkVersion }: { id: string; linkVersion: number },
  now = Date.now(),
): string {
  const expires = Math.ceil((now + LINK_VALID_MS) / 1_000).toString(36);
  return `${LINK_PREFIX}${expires}_${linkVersion}_${encryption.sign("conversation-link", `${id} ${expires} ${linkVersion}`)}`;
}

/** Returns the `linkVersion` for which a link's token was created, or null if it is not valid for the conversation. */
export function readLinkVersion(encryption: Encryption, conversationId: string, token: string): number | null {
  const [, expires = "", version = "", signature = ""] = /^fcl_([\da-z]{1,9})_(\d{1,9})_([\w-]+)$/.exec(token) ?? [];
  const isGenuine = encryption.verify("conversation-link", `${conversationId} ${expires} ${version}`, signature);
  return isGenuine && Number.parseInt(expires, 36) * 1_000 > Date.now() ? Number(version) : null;
}
