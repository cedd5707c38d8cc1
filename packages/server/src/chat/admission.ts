import type { ChatRequest } from "@foyer/contract";
import { accessTo, type ConversationAccess, type Proof } from "../conversations/access.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";
import { AppError } from "../errors.ts";
import { provenUserId, type Visitor, visitorOf } from "./new-messages.ts";

/** `known` is the conversation that the request continues, and `access` how it may; both null for a new one. */
type Admitted = {
  known: ConversationRow | null;
  access: ConversationAccess | null;
  identity: { provenUserId: string | null; visitor: Visitor };
};

/**
 * Decides who may chat in which conversation. The returned function throws 404 for a conversation that the request may
 * not continue, whether it exists or not.
 */
export function createAdmission(encryption: Encryption, conversations: Pick<ConversationService, "find">) {
  return async (agent: AgentRow, request: ChatRequest, sent: Omit<Proof, "userId">): Promise<Admitted> => {
    const proven = provenUserId(request, () => encryption.decrypt(agent.identitySecret, agent.id));
    const isBelieved = agent.requireIdentity === 0 || proven !== null;
    const identity = { provenUserId: proven, visitor: visitorOf(request, { isBelieved, isVerified: proven !== null }) };
    if (!request.conversationId) return { known: null, access: null, identity };
    const known = await conversations.find({ organizationId: agent.organizationId }, request.conversationId);
    const access = known?.agentId === agent.id ? accessTo(known, { ...sent, userId: proven }, encryption) : null;
    if (!known || !access || !isRightUser(agent, known, access, proven)) throw notYours();
    if (access === "open" && request.regenerate) throw notYours();
    return { known, access, identity };
  };
}

/** Where identities must be signed, a user's conversation takes that user's signature, not only its token. */
function isRightUser(
  { requireIdentity }: AgentRow,
  { userId }: ConversationRow,
  access: ConversationAccess,
  proven: string | null,
): boolean {
  return requireIdentity === 0 || access === "organization" || userId === null || userId === proven;
}

/** Only who holds an anonymous conversation may bring it along when signing in. */
export function claimOf(
  known: ConversationRow | null,
  access: ConversationAccess | null,
  visitor: Visitor,
): Visitor | null {
  const holds = access === "token" || access === "organization";
  return known && known.userId === null && visitor.userId !== null && holds ? visitor : null;
}

/** The same answer for a conversation that does not exist, so that ids cannot be probed. */
function notYours() {
  return new AppError(
    "NOT_FOUND",
    "Conversation not found. A visitor's conversation is continued with its conversationToken as bearer.",
  );
}
