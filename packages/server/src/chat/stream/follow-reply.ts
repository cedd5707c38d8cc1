import type { StopReason } from "@foyer/contract";
import { parsePieces } from "../../conversations/message-pieces.ts";
import { deriveStopReason } from "../../conversations/service.ts";
import type { MessageRow } from "../../db/tables.ts";
import type { EventReader } from "../../http/sse.ts";
import type { ReplyStore } from "../reply-store.ts";
import { parsePosition, type ReplyStart, rebuildEvents } from "./reply-events.ts";

/** How often a reply that runs in another process is read from the database. */
const POLL_MS = 500;

/**
 * Sends a stored reply from a position. While the reply runs in another process, continues with the content that
 * process saves. Returns a function that stops following.
 */
export function followStored(
  store: Pick<ReplyStore, "latestReply">,
  row: MessageRow,
  { conversationToken, lastEventId }: { conversationToken: string | null; lastEventId: string | undefined },
) {
  const start = { conversationId: row.conversationId, messageId: row.id, conversationToken };
  return (reader: EventReader, onError: (error: unknown) => void): (() => void) => {
    let timer: NodeJS.Timeout | undefined;
    let position = parsePosition(lastEventId, row.id);
    let hasLeft = false;
    const show = (current: MessageRow | undefined) => {
      if (hasLeft) return;
      const isOver = !current || current.id !== row.id || deriveStopReason(current) !== null;
      const events = rebuildEvents(position, readState(current?.id === row.id ? current : row, start, isOver));
      reader.write(events);
      position = readLastPosition(events) ?? position;
      if (isOver) reader.end();
      else timer = setTimeout(() => store.latestReply(row.conversationId).then(show).catch(onError), POLL_MS);
    };
    show(row);
    return () => {
      hasLeft = true;
      clearTimeout(timer);
    };
  };
}

function readState(row: MessageRow, start: ReplyStart, isOver: boolean) {
  const pieces = parsePieces(row);
  if (!isOver) return { start, pieces, textIsOpen: true };
  const stopReason: StopReason = deriveStopReason(row) ?? "aborted";
  const { inputTokens, cachedInputTokens, outputTokens } = row;
  const counted = {
    inputTokens: inputTokens ?? 0,
    cachedInputTokens: cachedInputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
  };
  const usage = inputTokens === null ? {} : { usage: counted };
  const error = stopReason === "error" ? { error: { code: "MODEL_UNAVAILABLE", message: "The reply failed." } } : {};
  return { start, pieces, end: { stopReason, ...usage, ...error } };
}

function readLastPosition(events: string) {
  const ids = events.match(/^id: \S+:(\d+)$/gm);
  return ids ? Number(ids.at(-1)?.split(":").at(-1)) : undefined;
}
