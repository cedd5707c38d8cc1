import { expect } from "vitest";
import { type ChatStream, joinText, type ReceivedEvent } from "./chat-client.ts";

type Event<Type extends ReceivedEvent["type"]> = Extract<ReceivedEvent, { type: Type }>;

/** The content of a complete stream that follows all rules. */
export type CheckedReply = {
  conversationId: string;
  messageId: string;
  text: string;
  /** the text of each text block, in order */
  blocks: string[];
  calls: Event<"tool_use_start">[];
  results: Event<"tool_result">[];
  stop: Event<"message_stop">;
  error: { code: string; message: string } | undefined;
};

/** Waits for the end of the stream and checks it; see `checkEvents`. */
export async function checkReply(stream: ChatStream): Promise<CheckedReply> {
  if (stream.response.status !== 200) throw new Error(`no stream: ${await stream.response.text()}`);
  await stream.ended;
  return checkEvents(stream.events);
}

/**
 * Checks the rules that apply to every complete stream: `message_start` comes first. The pieces follow in order, with
 * an `index` that counts from 0 without a gap, and each is closed before the next one starts. No text is empty, and
 * every tool call is followed by its result. `error` occurs exactly when the stop reason is `error`, right before
 * `message_stop`, which occurs once, at the end. The ids contain the message id and an increasing position.
 */
function checkEvents(events: readonly ReceivedEvent[]): CheckedReply {
  const story = events.map((event) => JSON.stringify(event)).join("\n");
  const [start, ...pieces] = events;
  const stop = pieces.pop();
  if (start?.type !== "message_start" || stop?.type !== "message_stop") throw new Error(`not a whole reply:\n${story}`);
  expect(stop.messageId).toBe(start.messageId);
  const last = pieces.at(-1);
  const failure = last?.type === "error" ? last : undefined;
  expect(stop.stopReason === "error", `an error and its stop reason go together:\n${story}`).toBe(!!failure);
  checkPieces(failure ? pieces.slice(0, -1) : pieces, stop.stopReason, story);
  checkIds(events, start.messageId);
  return {
    conversationId: start.conversationId,
    messageId: start.messageId,
    text: joinText(events),
    stop,
    blocks: listBlocks(events),
    calls: events.filter((event) => event.type === "tool_use_start"),
    results: events.filter((event) => event.type === "tool_result"),
    error: failure?.error,
  };
}

function checkPieces(events: readonly ReceivedEvent[], stopReason: string, story: string) {
  let open: { closedBy: "content_block_stop" | "tool_result"; index: number; callId?: string; text: string } | null =
    null;
  let next = 0;
  for (const event of events) {
    const isFirst = event.type === "content_block_start" || event.type === "tool_use_start";
    if (isFirst) {
      expect(open, `a piece begins inside another one:\n${story}`).toBeNull();
      expect(event.index, story).toBe(next++);
      open =
        event.type === "tool_use_start"
          ? { closedBy: "tool_result", index: event.index, callId: event.id, text: "" }
          : { closedBy: "content_block_stop", index: event.index, text: "" };
    } else if (event.type === "content_block_delta") {
      expect(open, story).toMatchObject({ closedBy: "content_block_stop", index: event.index });
      expect(event.delta, story).toEqual({ type: "text_delta", text: expect.stringMatching(/./s) });
      if (open) open.text += event.delta.text;
    } else if (event.type === "content_block_stop") {
      expect(open, story).toMatchObject({ closedBy: event.type, index: event.index });
      expect(open?.text, `a text block is empty:\n${story}`).not.toBe("");
      open = null;
    } else if (event.type === "tool_result") {
      expect(open, story).toMatchObject({ closedBy: event.type, index: event.index, callId: event.toolUseId });
      open = null;
    } else throw new Error(`${event.type} may not come here:\n${story}`);
  }
  // Only an interrupted call has no result.
  if (open !== null) expect([open.closedBy, stopReason], story).toEqual(["tool_result", "aborted"]);
}

function checkIds(events: readonly ReceivedEvent[], messageId: string) {
  const ids = events.map(({ eventId }) => eventId);
  const positions = ids.map((id) => Number(id.split(":")[1]));
  expect(ids).toEqual(positions.map((position) => `${messageId}:${position}`));
  expect(positions.every((position, at) => position > (positions[at - 1] ?? 0))).toBe(true);
}

function listBlocks(events: readonly ReceivedEvent[]): string[] {
  const starts = events.filter((event) => event.type === "content_block_start");
  return starts.map(({ index }) =>
    joinText(events.filter((event) => event.type === "content_block_delta" && event.index === index)),
  );
}
