import type { ChatRequest } from "@foyer/contract";
import { accessTo, type ConversationAccess, type Proof, provenUserId } from "../conversations/access.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";
import { AppError } from "../errors.ts";
import { type Visitor, visitorOf } from "./new-messages.ts";

/** `conversation` is the continued conversation, and `access` is what grants it. Both are null for a new conversation. */
type Admitted = {
  conversation: ConversationRow | null;
  access: ConversationAccess | null;
  identity: { provenUserId: string | null; visitor: Visitor };
};

/**
 * Decides whether a request may chat in a conversation. The returned function throws 404 when it may not, whether or not
 * the conversation exists.
 */
export function createAdmission(encryption: Encryption, conversations: Pick<ConversationService, "find">) {
  return async (agent: AgentRow, request: ChatRequest, sent: Omit<Proof, "userId">): Promise<Admitted> => {
    const proven = provenUserId(request, agent, encryption);
    const isBelieved = agent.requireIdentity === 0 || proven !== null;
    const identity = { provenUserId: proven, visitor: visitorOf(request, { isBelieved, isVerified: proven !== null }) };
    if (!request.conversationId) return { conversation: null, access: null, identity };
    const conversation = await conversations.find({ organizationId: agent.organizationId }, request.conversationId);
    const access = conversation ? accessTo(conversation, { ...sent, userId: proven }, { agent, encryption }) : null;
    if (!conversation || !access) throw notYours();
    if (access === "open" && request.regenerate) throw notYours();
    return { conversation, access, identity };
  };
}

/** A visitor who signs in can claim an anonymous conversation only by proving access to it. */
export function claimOf(
  conversation: ConversationRow | null,
  access: ConversationAccess | null,
  visitor: Visitor,
): Visitor | null {
  const holds = access === "token" || access === "organization";
  return conversation && conversation.userId === null && visitor.userId !== null && holds ? visitor : null;
}

/** The same error as for a conversation that does not exist, so that ids cannot be probed. */
function notYours() {
  return new AppError(
    "NOT_FOUND",
    "Conversation not found. To continue a visitor's conversation, send its conversationToken as a bearer token.",
  );
}
