import type { ChatRequest, VerifiedVisitor } from "@foyer/contract";
import { verifyVisitor } from "../../agents/identity/verified-visitor.ts";
import { accessTo, type ConversationAccess, isConversationVisitor, type Proof } from "../../conversations/access.ts";
import type { Visitor } from "../../conversations/log/turn.ts";
import type { ConversationService } from "../../conversations/service.ts";
import type { AgentRow, ConversationRow } from "../../db/tables.ts";
import type { Encryption } from "../../encryption.ts";
import { AppError } from "../../errors.ts";
import { toVisitor } from "./new-messages.ts";

/**
 * `conversation` is the conversation that the request continues, and `access` is the access that its sender has. Both
 * are null for a new conversation.
 */
export type Admitted = {
  conversation: ConversationRow | null;
  access: ConversationAccess | null;
  identity: Identity;
  /** the visitor to whom the continued conversation is assigned, or null when its visitor does not change */
  claimedBy: Visitor | null;
  /**
   * Whether the agent may call tools of the visitor's page. This is false in a conversation that someone else began,
   * and for a request without a conversation token, because the page needs the token to send the results.
   */
  mayUsePageTools: boolean;
};

export type Identity = {
  /** what this request proves, regardless of who began the conversation; null in someone else's conversation */
  verified: VerifiedVisitor | null;
  /** how the conversation stores the visitor */
  visitor: Visitor;
};

/**
 * Decides whether a request may chat in a conversation, and as whom. The returned function throws 404 when it may not,
 * whether or not the conversation exists, and 401 for an invalid `userToken`.
 */
export function createAdmission(encryption: Encryption, conversations: Pick<ConversationService, "find">) {
  return async (agent: AgentRow, request: ChatRequest, sent: Omit<Proof, "userId">): Promise<Admitted> => {
    const verified = await verifyVisitor(request, agent, encryption);
    const visitor = toVisitor(request, verified, agent);
    if (!request.conversationId) {
      return {
        conversation: null,
        access: null,
        identity: { verified, visitor },
        claimedBy: null,
        mayUsePageTools: true,
      };
    }
    const conversation = await conversations.find({ organizationId: agent.organizationId }, request.conversationId);
    const userId = verified?.id ?? null;
    const access = conversation ? accessTo(conversation, { ...sent, userId }, { agent, encryption }) : null;
    if (!conversation || !access) throw notYoursError();
    if (access === "open" && request.regenerate) throw notYoursError();
    const isOwn = isConversationVisitor(conversation, { access, sessionId: request.sessionId, userId });
    // A client that names neither a session nor a user cannot be distinguished from the client that began the
    // conversation, unless it comes from a link.
    const isUnnamed = !request.sessionId && verified === null && access !== "link";
    return {
      conversation,
      access,
      identity: { verified: isOwn ? verified : null, visitor },
      claimedBy: isOwn ? findClaim(conversation, access, visitor) : null,
      mayUsePageTools: access !== "open" && (isOwn || isUnnamed),
    };
  };
}

/**
 * Returns the visitor to whom a continued conversation is assigned. A visitor who signs in can claim an anonymous
 * conversation only by proving access to it. A proven visitor replaces a claimed one, and the facts in the newest token
 * replace those in an earlier one.
 */
function findClaim(conversation: ConversationRow, access: ConversationAccess, visitor: Visitor): Visitor | null {
  if (visitor.userId === null || access === "open") return null;
  if (visitor.isUserVerified === 0) return conversation.userId === null ? visitor : null;
  if (conversation.isUserVerified === 0) return visitor;
  const isNews = visitor.verifiedVisitor !== conversation.verifiedVisitor;
  return conversation.userId === visitor.userId && isNews ? visitor : null;
}

/** Returns the same error as for a conversation that does not exist, so that ids cannot be probed. */
function notYoursError() {
  return new AppError(
    "NOT_FOUND",
    "Conversation not found. To continue a visitor's conversation, send its conversationToken as a bearer token.",
  );
}
