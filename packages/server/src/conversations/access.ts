import { isTokenFor } from "../auth/conversation-token.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";

/** The evidence in a request about its sender. */
export type Proof = {
  /** the bearer token, if it looks like a conversation token */
  token: string | null;
  /** the organization of the API key or session */
  organizationId: string | null;
  /** the user proven by a `userToken` or `userHash` */
  userId: string | null;
};

/**
 * How a request may take part in a conversation. `open` is the weakest: the conversation started without naming a
 * visitor, so its id is enough to add messages, but not to read it, replace its last reply or stop a running one.
 */
export type ConversationAccess = "organization" | "token" | "user" | "open";

/**
 * The access that a proof grants, or null, in which case the conversation must appear not to exist. With
 * `requireIdentity`, a user's conversation requires that user's proof in addition to its token.
 */
export function accessTo(
  conversation: Pick<ConversationRow, "id" | "agentId" | "organizationId" | "userId" | "hasOwner">,
  proof: Proof,
  { agent, encryption }: { agent: Pick<AgentRow, "id" | "requireIdentity">; encryption: Encryption },
): ConversationAccess | null {
  const { userId } = conversation;
  if (conversation.agentId !== agent.id) return null;
  if (proof.organizationId === conversation.organizationId) return "organization";
  if (agent.requireIdentity === 1 && userId !== null && userId !== proof.userId) return null;
  if (proof.token !== null && isTokenFor(encryption, conversation.id, proof.token)) return "token";
  if (proof.userId !== null && proof.userId === userId) return "user";
  return conversation.hasOwner === 0 ? "open" : null;
}
