import { type Piece, parsePieces, type ToolPiece } from "../../conversations/message-pieces.ts";
import type { ReadMessage } from "../../conversations/store.ts";

/** A reply of the agent as it was recorded, with the messages before it. */
export type RecordedTurn = {
  conversationId: string;
  messageId: string;
  /** ends with the visitor's message */
  history: ReadMessage[];
  reply: ReadMessage;
  pieces: Piece[];
};

const complete = new Set<string | null>(["end_turn", "max_steps", "max_tokens"]);

/** The replies of a conversation that can be written again: those that a model completed. */
export function listTurns(conversationId: string, messages: readonly ReadMessage[]): RecordedTurn[] {
  return messages.flatMap((reply, index) => {
    const isReply = reply.role === "assistant" && reply.authorName === null && reply.model !== null;
    const history = messages.slice(0, index);
    if (!isReply || !complete.has(reply.stopReason) || history.at(-1)?.role !== "user") return [];
    return [{ conversationId, messageId: reply.id, history, reply, pieces: parsePieces(reply) }];
  });
}

/** The recorded calls of tools, in order. */
export function listToolPieces({ pieces }: Pick<RecordedTurn, "pieces">): ToolPiece[] {
  return pieces.filter((piece) => piece.type === "tool");
}

/** The arguments with which the model made a call. */
export function toArguments({ input, sent }: ToolPiece): unknown {
  return sent?.input ?? input;
}
