import type { ChatRequest, VerifiedVisitor } from "@foyer/contract";
import { HOUR_MS } from "@foyer/contract/rules/time";
import { createConversationToken } from "../../auth/conversation-token.ts";
import { accessTo } from "../../conversations/access.ts";
import type { ConversationService } from "../../conversations/service.ts";
import type { AgentRow, ConversationRow } from "../../db/tables.ts";
import type { Encryption } from "../../encryption.ts";
import type { ReplyStore } from "../reply-store.ts";

/** A key of 128 random bits: 32 hexadecimal digits, or a random UUID. A shorter one could be guessed. */
const RANDOM_KEY = /^(?:[\da-f]{32}|[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})$/i;

/** How long a repeated first message is recognized, in milliseconds. */
const VALID_MS = HOUR_MS;

/**
 * Identifies the first message of a conversation, so that the conversation is found when a client that lost the
 * response sends the message again. The response contains the conversation's token, so the message key must be as hard
 * to guess as a token. The session id alone grants nothing. The database stores an HMAC, from which neither can be
 * derived.
 * @returns null for a message that begins a new conversation each time
 */
export function hashStartKey(
  encryption: Encryption,
  agent: Pick<AgentRow, "id">,
  { sessionId, messageKey, regenerate }: Pick<ChatRequest, "sessionId" | "messageKey" | "regenerate">,
): string | null {
  if (!sessionId || !messageKey || regenerate || !RANDOM_KEY.test(messageKey)) return null;
  return encryption.sign("conversation-start", JSON.stringify([agent.id, sessionId, messageKey]));
}

type Parts = { encryption: Encryption; conversations: Pick<ConversationService, "find">; store: ReplyStore };

/**
 * @returns a function that finds the conversation which began with a key, or null when it is too old or the sender is
 * not the visitor to whom it belongs
 */
export function createStartFinder({ encryption, conversations, store }: Parts) {
  return async (
    agent: AgentRow,
    startKey: string,
    verified: VerifiedVisitor | null,
  ): Promise<ConversationRow | null> => {
    const { organizationId } = agent;
    const id = await store.begunWith({ organizationId, startKey });
    const conversation = id === null ? undefined : await conversations.find({ organizationId }, id);
    if (!conversation || conversation.createdAt <= Date.now() - VALID_MS) return null;
    const userId = verified?.id ?? null;
    const provenOwner = conversation.isUserVerified === 1 ? conversation.userId : null;
    if (userId !== provenOwner) return null;
    // The key grants exactly what the token in the lost response would have granted.
    const token = createConversationToken(encryption, conversation.id);
    const access = accessTo(conversation, { token, organizationId: null, userId }, { agent, encryption });
    return access === "token" ? conversation : null;
  };
}
