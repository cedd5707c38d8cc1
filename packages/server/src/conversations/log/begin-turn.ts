import { conversationLimits } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Executor } from "../../db/compiled-query.ts";
import { isDuplicate } from "../../db/database-errors.ts";
import type { OwnershipColumns } from "../../db/tables/handoff.ts";
import type { Tables } from "../../db/tables.ts";
import { AppError, notFound } from "../../errors.ts";
import { type ConversationSize, checkConversationSize } from "../conversation-size.ts";
import { createPreview, describeMessage } from "../message-preview.ts";
import type { Change, Emit } from "./change.ts";
import type { HistoryRow, ReplyQueries } from "./queries.ts";
import { reopen } from "./reopen.ts";
import type { NewTurn } from "./turn.ts";

/** The minimum space that must be left for a reply. */
const MIN_ROOM_BYTES = 4_096;
/**
 * A running reply updates its row every few seconds. If a row is not updated for longer than this, the process that ran
 * the reply has ended.
 */
const SILENT_MS = 30_000;

/** The maximum number of messages that are read, and the maximum number of their UTF-8 bytes. */
export type HistoryLimits = { limit: number; maxBytes: number };

/**
 * The prompt, how many bytes of text and tool calls the reply may still add, and the epoch in which it begins.
 * `isPassedOn` means that there is no reply: a person has the conversation, or it begins without one.
 */
export type Begun =
  | { isPassedOn: false; history: HistoryRow[]; room: { textBytes: number; toolBytes: number }; epoch: number }
  | { isPassedOn: true };

/** Thrown when a turn without a reply finds that the agent has the conversation again. */
export class AgentAnswersError extends Error {}

/** Thrown when a message with the same key was stored since the request began. */
export class RepeatedMessageError extends Error {}

/** Thrown when a conversation has already begun with the same `startKey`. */
export class RepeatedStartError extends Error {}

/** Whether the agent must not reply: a person has the conversation, or the visitor is waiting for one. */
export function isPassedOn(
  { handler }: Pick<OwnershipColumns, "handler">,
  { isSilentWhileWaiting }: Pick<NewTurn, "isSilentWhileWaiting">,
): boolean {
  return handler === "human" || (handler === "waiting" && isSilentWhileWaiting);
}

/** Stores a turn, see `begin` in replies.ts. */
export async function beginTurn(
  trx: Transaction<Tables>,
  queries: ReplyQueries,
  { turn, historyLimits, emit }: { turn: NewTurn; historyLimits: HistoryLimits; emit: Emit },
): Promise<Begun> {
  const { conversation, messages, replyId, model, agentVersion } = turn;
  const conversationId = conversation.id;
  const now = Date.now();
  const added = {
    messages: messages.length + 1,
    textBytes: messages.reduce((sum, { content, page }) => sum + Buffer.byteLength(content + (page ?? "")), 0),
    toolBytes: 0,
  };
  const said = messages.findLast(({ role }) => role === "user");
  const preview = said && { role: said.role, preview: createPreview(describeMessage(said)), now };
  const place = turn.isNew
    ? await insertNew(trx, queries, { turn, added, preview })
    : await extend(trx, queries, { turn, added, preview, now, emit });
  const { position, size, handler, epoch } = place;
  checkConversationSize(size, MIN_ROOM_BYTES);
  const history = turn.isNew ? [] : (await queries.history(trx, { conversationId, ...historyLimits })).rows.reverse();
  const appended = messages.map(({ attachments: _, ...message }, index) => ({
    ...message,
    pieces: null,
    position: position + index,
    createdAt: now,
    authorName: null,
    model: null,
    agentVersion: null,
    fallbackFrom: null,
    promptState: null,
  }));
  for (const message of appended) {
    // An assistant message from the client is complete, but how it ended is unknown.
    const stopReason = message.role === "assistant" ? "end_turn" : null;
    await queries.insertMessage(trx, { ...message, conversationId, stopReason, now });
  }
  await emit(trx, toChanges(turn, { handler, epoch, at: now }));
  if ((turn.isNew && replyId === null) || isPassedOn({ handler }, turn)) {
    await queries.passOn(trx, { id: conversationId });
    return { isPassedOn: true };
  }
  if (replyId === null) throw new AgentAnswersError();
  const reply = {
    id: replyId,
    role: "assistant" as const,
    content: "",
    page: null,
    messageKey: null,
    isSupplied: 0 as const,
    removedLinks: null,
  };
  const at = position + appended.length;
  const written = { model, agentVersion };
  await queries.insertMessage(trx, { ...reply, ...written, position: at, conversationId, stopReason: null, now });
  return {
    isPassedOn: false,
    history: [...history, ...appended],
    epoch,
    room: {
      textBytes: conversationLimits.textBytes - size.textBytes,
      toolBytes: conversationLimits.toolBytes - size.toolBytes,
    },
  };
}

/** The turn, and its messages to people while the visitor waits for a person or talks to one. */
function toChanges(turn: NewTurn, { handler, epoch, at }: Pick<Place, "handler" | "epoch"> & { at: number }): Change[] {
  const { id: conversationId, organizationId, agentId, isTest } = turn.conversation;
  const place = { organizationId, agentId, conversationId, isTest: isTest === 1 };
  const stored: Change = { ...place, kind: "turn", turn, at };
  if (handler === "agent") return [stored];
  const sent = turn.messages.filter(({ role }) => role === "user");
  return [...sent.map(({ id }): Change => ({ ...place, kind: "visitor_message", messageId: id, epoch })), stored];
}

type Addition = {
  turn: NewTurn;
  added: { messages: number; textBytes: number; toolBytes: number };
  preview: PreviewOf | undefined;
};
type PreviewOf = { role: "user" | "assistant"; preview: string; now: number };
/** The position of the next message, the size of the conversation including that message, and the handler. */
type Place = { position: number; size: ConversationSize } & Pick<OwnershipColumns, "handler" | "epoch">;

async function insertNew(
  trx: Executor,
  queries: ReplyQueries,
  { turn: { conversation, startKey }, added, preview }: Addition,
): Promise<Place> {
  const size = { messageCount: added.messages, textBytes: added.textBytes, toolBytes: 0 };
  const row = {
    ...conversation,
    ...size,
    startKey,
    lastMessageRole: preview?.role ?? null,
    lastMessagePreview: preview?.preview ?? null,
    lastMessageAt: preview?.now ?? null,
  };
  // On PostgreSQL, this waits for a concurrent transaction that inserts the same key.
  await queries.insertConversation(trx, row).catch((error: unknown) => {
    throw startKey !== null && isDuplicate(error) ? new RepeatedStartError() : error;
  });
  await queries.count(trx, { agentId: conversation.agentId });
  return { position: 0, size, handler: "agent", epoch: 0 };
}

async function extend(
  trx: Transaction<Tables>,
  queries: ReplyQueries,
  { turn, added, preview, now, emit }: Addition & { now: number; emit: Emit },
): Promise<Place> {
  const { id } = turn.conversation;
  const { regenerate, mayReplaceReply, claimedBy, consent } = turn;
  // On PostgreSQL, this update also locks the conversation, so concurrent turns are serialized.
  let [size] = (await queries.grow(trx, { id, ...added, now })).rows;
  if (!size) throw notFound("Conversation");
  if (size.status !== "open") {
    const place = { organizationId: turn.conversation.organizationId, conversationId: id };
    await reopen(trx, place, { emit, by: { userId: null, isAutomatic: true } });
  }
  const messageKey = turn.messages.at(-1)?.messageKey ?? null;
  if (messageKey !== null && (await queries.byKey(trx, { conversationId: id, messageKey })).rows.length > 0) {
    throw new RepeatedMessageError();
  }
  const [last] = (await queries.lastMessage(trx, { conversationId: id })).rows;
  if (mayReplaceReply) await queries.requestStop(trx, { conversationId: id });
  else if (last?.role === "assistant" && last.stopReason === null && now - last.updatedAt < SILENT_MS) {
    throw replyIsRunning();
  }
  let position = last ? last.position + 1 : 0;
  if (regenerate && (isPassedOn(size, turn) || last?.authorName != null)) throw isWithPerson();
  if (regenerate && last?.role === "assistant") {
    await queries.deleteMessage(trx, { id: last.id });
    // A reply is counted when it ends. Subtracting an unfinished reply would free space that was never used.
    const isCounted = last.stopReason !== null;
    const dropped = {
      messages: -1,
      textBytes: isCounted ? -Number(last.textBytes) : 0,
      toolBytes: isCounted ? -Number(last.toolBytes) : 0,
    };
    [size] = (await queries.grow(trx, { id, ...dropped, now })).rows;
    // Live streams resume from a position, so a position must not be reused while a stream can be open. Reuse it only
    // when the agent handles the conversation.
    if (size?.handler === "agent") position = last.position;
  }
  if (preview) await queries.preview(trx, { id, ...preview });
  if (claimedBy) await queries.claim(trx, { id, ...claimedBy });
  if (consent !== null) await queries.consent(trx, { id, consent });
  if (!size) throw notFound("Conversation");
  const { handler, epoch } = size;
  return { position, size, handler, epoch };
}

function isWithPerson(): AppError {
  return new AppError(
    "CONFLICT",
    "A person has answered in this conversation. Only replies of the agent can be replaced.",
  );
}

export function replyIsRunning(): AppError {
  return new AppError(
    "CONFLICT",
    "A reply is still running in this conversation. Wait until it ends, or send the conversationToken to replace it.",
  );
}
