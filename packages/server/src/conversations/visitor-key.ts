import type { ConversationRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";

/** What conversations of one visitor have in common. The strongest kind that a conversation has decides. */
const personKinds = ["verified", "claimed", "email", "session"] as const;

/**
 * A visitor as the team sees one. A claimed user is another person than a verified one of the same id: anyone can claim
 * an id, and people are never merged automatically.
 */
export type Person = { kind: (typeof personKinds)[number]; value: string };

type PersonColumns = Pick<ConversationRow, "userId" | "userEmail" | "sessionId" | "isUserVerified">;

/** @returns null for a conversation that nothing connects with a visitor, such as one that an API key imported */
export function personOf({ userId, userEmail, sessionId, isUserVerified }: PersonColumns): Person | null {
  if (userId !== null) return { kind: isUserVerified === 1 ? "verified" : "claimed", value: userId };
  if (userEmail !== null) return { kind: "email", value: userEmail.trim().toLowerCase() };
  return sessionId === null ? null : { kind: "session", value: sessionId };
}

/** The visitor's key in this organization: the same for each conversation of the person, and unreadable elsewhere. */
export function toVisitorKey(encryption: Encryption, organizationId: string, row: PersonColumns): string | null {
  const person = personOf(row);
  return person && encryption.createPseudonym(JSON.stringify([person.kind, person.value]), organizationId);
}

/** @returns null when this server has not made the key for the organization */
export function readVisitorKey(encryption: Encryption, organizationId: string, key: string): Person | null {
  const text = encryption.readPseudonym(key, organizationId);
  if (text === null) return null;
  const [kind, value]: unknown[] = JSON.parse(text);
  const known = personKinds.find((one) => one === kind);
  return known && typeof value === "string" ? { kind: known, value } : null;
}
