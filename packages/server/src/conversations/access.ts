import { isTokenFor } from "../auth/conversation-token.ts";
import type { ConversationRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";

/** What a request proved about who sends it. */
export type Proof = {
  /** the bearer, if it looks like a conversation token */
  token: string | null;
  /** whose API key or session came with the request */
  organizationId: string | null;
  /** the user that a valid `userHash` proves */
  userId: string | null;
};

/**
 * How a request may speak in a conversation. `open` is the weakest: the conversation began without naming a visitor, so
 * its id is enough to add to it, but not to read it, replace its last reply or stop a running one.
 */
export type ConversationAccess = "organization" | "token" | "user" | "open";

/** The access that a proof gives, or null: then the conversation must look as if it did not exist. */
export function accessTo(
  conversation: Pick<ConversationRow, "id" | "organizationId" | "userId" | "hasOwner">,
  proof: Proof,
  encryption: Encryption,
): ConversationAccess | null {
  if (proof.organizationId === conversation.organizationId) return "organization";
  if (proof.token !== null && isTokenFor(encryption, conversation.id, proof.token)) return "token";
  if (proof.userId !== null && proof.userId === conversation.userId) return "user";
  return conversation.hasOwner === 0 ? "open" : null;
}
