import { isTokenFor, readLinkVersion } from "../auth/conversation-token.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";

/** The evidence in a request about its sender. */
export type Proof = {
  /** the bearer token, if it looks like the token of a conversation or of a link to one */
  token: string | null;
  /** the organization of the API key or session */
  organizationId: string | null;
  /** the user proven by a `userToken` or `userHash` */
  userId: string | null;
};

/**
 * How a request may take part in a conversation. `open` is the weakest: the conversation started without naming a
 * visitor, so its id is enough to add messages, but not to read it, replace its last reply or stop a running one.
 * `link` is a token from an email.
 */
export type ConversationAccess = "organization" | "token" | "link" | "user" | "open";

/** What a request with access to a conversation says about its visitor. */
type Sender = {
  access: ConversationAccess;
  sessionId: string | null | undefined;
  /** the user proven by a `userToken` or `userHash` */
  userId: string | null;
};

/**
 * Returns the access that a proof grants, or null, in which case the conversation must appear not to exist. With
 * `requireIdentity`, the conversation of a user requires that user's proof in addition to its token. The link in an
 * email does not, because the visitor left the address for the answer and may open it in any browser.
 */
export function accessTo(
  conversation: Pick<ConversationRow, "id" | "agentId" | "organizationId" | "userId" | "hasOwner" | "linkVersion">,
  proof: Proof,
  { agent, encryption }: { agent: Pick<AgentRow, "id" | "requireIdentity">; encryption: Encryption },
): ConversationAccess | null {
  const { userId } = conversation;
  if (conversation.agentId !== agent.id) return null;
  if (proof.organizationId === conversation.organizationId) return "organization";
  const linkVersion = proof.token === null ? null : readLinkVersion(encryption, conversation.id, proof.token);
  if (linkVersion === conversation.linkVersion) return "link";
  if (agent.requireIdentity === 1 && userId !== null && userId !== proof.userId) return null;
  if (proof.token !== null && isTokenFor(encryption, conversation.id, proof.token)) return "token";
  if (proof.userId !== null && proof.userId === userId) return "user";
  return conversation.hasOwner === 0 ? "open" : null;
}

/**
 * Whether the sender is the visitor who began the conversation: the proven user to whom it belongs, or anyone in its
 * session. Access alone is not enough, because a token can be part of a link. Someone with the token could make another
 * person's browser continue the conversation, and would then read what the agent did in that person's name. A session
 * id is never part of a link.
 */
export function isConversationVisitor(
  conversation: Pick<ConversationRow, "sessionId" | "userId" | "isUserVerified">,
  { access, sessionId, userId }: Sender,
): boolean {
  if (conversation.isUserVerified === 1 && userId !== null) return userId === conversation.userId;
  if (access === "organization") return true;
  return Boolean(sessionId) && sessionId === conversation.sessionId;
}

/**
 * Whether a sender may take part in the conversation, and whether someone else began it. A conversation that does not
 * exist, or to which the sender has no access, does not count as someone else's, because nothing of the request is
 * stored in it.
 */
export function determineAccess(
  conversation: ConversationRow | undefined,
  proof: Proof & Pick<Sender, "sessionId">,
  context: { agent: Pick<AgentRow, "id" | "requireIdentity">; encryption: Encryption },
): { hasAccess: boolean; isForeign: boolean } {
  const access = conversation ? accessTo(conversation, proof, context) : null;
  if (!conversation || !access) return { hasAccess: false, isForeign: false };
  return { hasAccess: true, isForeign: !isConversationVisitor(conversation, { ...proof, access }) };
}
