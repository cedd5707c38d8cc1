import { attachmentLimits, type ChatRequest, chatLimits, type VerifiedVisitor } from "@foyer/contract";
import type { Visitor } from "../../conversations/log/turn.ts";
import type { Flag } from "../../db/tables/column-types.ts";
import { invalid } from "../../errors.ts";

export type NewMessage = { role: "user" | "assistant"; content: string };

const TITLE_LENGTH = 60;
const METADATA_LENGTH = 8_192;
/** The maximum number of characters with which a conversation begins, because anyone can begin any number of them. */
const MAX_START = 65_536;

type MessagesPart = Pick<ChatRequest, "messages" | "regenerate" | "conversationId" | "attachments">;

/**
 * Selects the new messages of a request. A new conversation stores all of them. For an existing conversation, the
 * stored history is authoritative, so only the user messages after the client's last assistant message are appended.
 */
export function newMessages({ messages, regenerate, conversationId }: MessagesPart): NewMessage[] {
  if (!conversationId) return messages;
  return regenerate ? [] : messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

/** Checks the messages that a request would append. @throws 400 with the path of the invalid message */
export function checkMessages(request: MessagesPart): void {
  const { messages, regenerate, conversationId, attachments } = request;
  const attached = attachments?.length ?? 0;
  if (attached > attachmentLimits.perMessage) {
    const problem = `At most ${attachmentLimits.perMessage} can be sent with a message, found ${attached}`;
    throw invalid("attachments", problem, "max_items");
  }
  if (attached > 0 && regenerate && conversationId) {
    throw invalid("attachments", "belong to a new message, and `regenerate` adds none", "not_allowed");
  }
  if (regenerate && conversationId) return;
  const appended = newMessages(request);
  const first = messages.length - appended.length;
  const last = messages.at(-1);
  const lastPath = `messages.${messages.length - 1}`;
  if (last?.role !== "user") throw invalid(`${lastPath}.role`, "The last message must have the role `user`", "enum");
  if (last.content.trim() === "" && attached === 0)
    throw invalid(`${lastPath}.content`, "must not be empty", "min_length");
  if (appended.length > chatLimits.messages) {
    throw invalid("messages", `At most ${chatLimits.messages} messages can be added at once, found ${appended.length}`);
  }
  const start = conversationId ? 0 : appended.reduce((sum, { content }) => sum + content.length, 0);
  if (start > MAX_START) {
    throw invalid("messages", `A conversation can begin with at most ${MAX_START} characters, found ${start}`);
  }
  appended.forEach(({ content }, index) => {
    // Counts code points, like every other limit: an emoji is one character.
    const length = content.length <= chatLimits.characters ? 0 : Array.from(content).length;
    if (length <= chatLimits.characters) return;
    const problem = `must be at most ${chatLimits.characters} characters long, found ${length}`;
    throw invalid(`messages.${first + index}.content`, problem);
  });
}

/** The conversation's title: the first user message on one line of at most 60 characters, cut between words. */
export function createTitle(messages: readonly NewMessage[]): string {
  const said = messages.find((message) => message.role === "user" && message.content.trim() !== "");
  const characters = Array.from((said?.content ?? "").replace(/\s+/g, " ").trim());
  if (characters.length <= TITLE_LENGTH) return characters.join("");
  const cut = characters.slice(0, TITLE_LENGTH);
  const lastSpace = characters[TITLE_LENGTH] === " " ? TITLE_LENGTH : cut.lastIndexOf(" ");
  return cut.slice(0, lastSpace > 0 ? lastSpace : TITLE_LENGTH).join("");
}

const anonymous: Visitor = {
  userId: null,
  userEmail: null,
  userName: null,
  userMetadata: null,
  isUserVerified: 0,
  verifiedVisitor: null,
};

/** Whether the request identifies a visitor in any way, verified or not. */
export function namesVisitor(request: ChatRequest): boolean {
  const { sessionId, userId, userEmail, userName, userMetadata, metadata } = request;
  const { userHash, userToken } = request;
  return Boolean(sessionId || userId || userEmail || userName || userMetadata || metadata || userHash || userToken);
}

/**
 * Returns the visitor as the conversation stores them: the proven identity if there is one, otherwise the identity that
 * the page claims. The visitor is anonymous when the agent requires a proven identity and there is none.
 */
export function toVisitor(
  request: ChatRequest,
  verified: VerifiedVisitor | null,
  { requireIdentity }: { requireIdentity: Flag },
): Visitor {
  if (requireIdentity === 1 && verified === null) return anonymous;
  return {
    userId: verified?.id ?? (request.userId || null),
    userEmail: verified?.email ?? (request.userEmail || null),
    userName: verified?.name ?? (request.userName || null),
    userMetadata: serializeMetadata(request),
    isUserVerified: verified ? 1 : 0,
    verifiedVisitor: verified && JSON.stringify(verified),
  };
}

/**
 * The key of the visitor's budget: the proven user, then the session (which others cannot guess), then the claimed
 * user, then the IP address. Null when there is none.
 */
export function budgetOwner(
  { userId }: Visitor,
  { isProved, sessionId, ip }: { isProved: boolean; sessionId: string | null | undefined; ip: string | null },
): string | null {
  if (userId && (isProved || !sessionId)) return `user:${userId}`;
  if (sessionId) return `session:${sessionId}`;
  return ip && `ip:${ip}`;
}

type MetadataPart = Pick<ChatRequest, "userMetadata" | "metadata">;

/** The metadata as JSON. */
function serializeMetadata({ userMetadata, metadata }: MetadataPart): string | null {
  const given = userMetadata ?? metadata;
  return given ? JSON.stringify(given) : null;
}

/** @throws 400 when the visitor's metadata is too large */
export function checkMetadata(request: MetadataPart): void {
  const text = serializeMetadata(request);
  if (text === null || text.length <= METADATA_LENGTH) return;
  throw invalid("userMetadata", `must be at most ${METADATA_LENGTH} characters of JSON, found ${text.length}`);
}
