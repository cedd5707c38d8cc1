import { DAY_MS } from "@foyer/contract/rules/time";
import type { Encryption } from "../encryption.ts";

const PREFIX = "fct_";
const LINK_PREFIX = "fcl_";
const RATING_PREFIX = "frt_";
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
export function createLinkToken(encryption: Encryption, conversation: Linked, now = Date.now()): string {
  return LINK_PREFIX + signLink(encryption, "conversation-link", { ...conversation, now });
}

/** Creates the token of an emailed link that rates the conversation and gives no other access to it. */
export function createRatingToken(encryption: Encryption, conversation: Linked, now = Date.now()): string {
  return RATING_PREFIX + signLink(encryption, "rating-link", { ...conversation, now });
}

type Linked = { id: string; linkVersion: number };
type LinkPurpose = "conversation-link" | "rating-link";

function signLink(
  encryption: Encryption,
  purpose: LinkPurpose,
  { id, linkVersion, now }: Linked & { now: number },
): string {
  const expires = Math.ceil((now + LINK_VALID_MS) / 1_000).toString(36);
  return `${expires}_${linkVersion}_${encryption.sign(purpose, `${id} ${expires} ${linkVersion}`)}`;
}

/** Returns the `linkVersion` for which a link's token was created, or null if it is not valid for the conversation. */
export function readLinkVersion(encryption: Encryption, conversationId: string, token: string): number | null {
  const link = readLink(encryption, { purpose: "conversation-link", prefix: LINK_PREFIX }, { conversationId, token });
  return link && !link.isExpired ? link.linkVersion : null;
}

/** Reads the token of a link that rates the conversation. @returns null if the server did not create it */
export function readRatingToken(encryption: Encryption, conversationId: string, token: string) {
  return readLink(encryption, { purpose: "rating-link", prefix: RATING_PREFIX }, { conversationId, token });
}

function readLink(
  encryption: Encryption,
  { purpose, prefix }: { purpose: LinkPurpose; prefix: string },
  { conversationId, token }: { conversationId: string; token: string },
): { linkVersion: number; isExpired: boolean } | null {
  const parts = token.startsWith(prefix)
    ? /^([\da-z]{1,9})_(\d{1,9})_([\w-]+)$/.exec(token.slice(prefix.length))
    : null;
  const [, expires = "", version = "", signature = ""] = parts ?? [];
  if (!encryption.verify(purpose, `${conversationId} ${expires} ${version}`, signature)) return null;
  return { linkVersion: Number(version), isExpired: Number.parseInt(expires, 36) * 1_000 <= Date.now() };
}
