import type { ChatEvent, Message } from "@foyer/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReplyState, foldReply, type ReplyPart, type ReplyState, toParts } from "./reply.ts";

const words = fc.array(fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }), { minLength: 1, maxLength: 5 });
const call = fc.record({
  isError: fc.boolean(),
  input: fc.jsonValue({ maxDepth: 1 }),
  result: fc.jsonValue({ maxDepth: 1 }),
});
/** A reply as the server stores it, and the events with which it streams it. */
const reply = fc.array(fc.oneof(words, call), { maxLength: 6 }).map((blocks) => {
  const id = "msg_1";
  const events: ChatEvent[] = [
    { type: "message_start", conversationId: "conv_1", messageId: id, conversationToken: null },
  ];
  const toolCalls: Message["toolCalls"] = [];
  let content = "";
  let wasText = false;
  let index = 0;
  for (const block of blocks) {
    // A model's texts are separated by calls, otherwise they are one block.
    if (Array.isArray(block) && wasText) continue;
    if (Array.isArray(block)) {
      events.push({ type: "content_block_start", index });
      for (const text of block) {
        content += text;
        events.push({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
      }
      events.push({ type: "content_block_stop", index });
    } else {
      const about = { id: `call_${index}`, name: "stock", label: "Stock", toolId: null, executionType: "http" };
      const { isError, input, result } = block;
      events.push({ type: "tool_use_start", index, ...about, input });
      events.push({
        type: "tool_result",
        index,
        toolUseId: about.id,
        name: about.name,
        isError,
        result,
        displayConfig: null,
        display: null,
      });
      const textBefore = content.length;
      toolCalls.push({ ...about, input, result, isError, display: null, form: null, textBefore });
    }
    wasText = Array.isArray(block);
    index++;
  }
  events.push({ type: "suggestions", suggestions: ["And tomorrow?"] });
  events.push({
    type: "message_stop",
    messageId: id,
    stopReason: "end_turn",
    usage: { inputTokens: 3, cachedInputTokens: 1, outputTokens: 4 },
  });
  return { events, content, toolCalls };
});

const fold = (events: readonly ChatEvent[], from: ReplyState = createReplyState()) => events.reduce(foldReply, from);

describe("foldReply", () => {
  it("gives the parts that toParts finds in the stored reply", () => {
    fc.assert(
      fc.property(reply, ({ events, content, toolCalls }) => {
        expect(fold(events).parts).toEqual(toParts({ content, toolCalls }));
      }),
    );
  });

  it("collects the notices, which have no place among the parts", () => {
    const { notices, parts } = fold([
      { type: "message_start", conversationId: "conv_1", messageId: "msg_1", conversationToken: null },
      { type: "notice", code: "picture_not_seen" },
      { type: "content_block_start", index: 0 },
    ]);
    expect(notices).toEqual([{ code: "picture_not_seen" }]);
    expect(parts).toEqual([{ type: "text", text: "" }]);
  });

  it("gives the same reply when the stream is cut anywhere and continues after the last event", () => {
    fc.assert(
      fc.property(reply, fc.nat(), ({ events }, position) => {
        const cut = position % events.length;
        expect(fold(events.slice(cut), fold(events.slice(0, cut)))).toEqual(fold(events));
      }),
    );
  });

  it("gives the same reply when the stream is cut anywhere and begins again", () => {
    fc.assert(
      fc.property(reply, fc.nat(), ({ events }, position) => {
        const cut = position % events.length;
        expect(fold(events, fold(events.slice(0, cut)))).toEqual(fold(events));
      }),
    );
  });

  it("leaves a state as it was, so that views can compare states", () => {
    fc.assert(
      fc.property(reply, ({ events }) => {
        let state = createReplyState();
        for (const event of events) {
          const copy = structuredClone(state);
          const next = foldReply(state, event);
          expect(state).toEqual(copy);
          state = next;
        }
      }),
    );
  });

  it("keeps the reason of a failed reply", () => {
    const error = { code: "MODEL_ERROR", message: "The model failed." };
    expect(fold([{ type: "error", error }]).error).toEqual(error);
  });

  it("shows a result even if the stream began after its call", () => {
    const event = { type: "tool_result", index: 0, toolUseId: "call_1", name: "stock", isError: false } as const;
    expect(fold([{ ...event, result: 3, displayConfig: null, display: null }]).parts[0]).toMatchObject({
      state: "done",
      result: 3,
      kind: null,
    });
  });
});

it("toParts puts each call where it was made in the text", () => {
  const base = {
    name: "stock",
    label: null,
    toolId: null,
    executionType: "mock",
    input: {},
    result: 1,
    isError: false,
  };
  const toolCalls = [3, 3].map((textBefore, at) => ({
    ...base,
    id: `call_${at}`,
    display: null,
    form: null,
    textBefore,
  }));
  const shown = (part: ReplyPart) => (part.type === "text" ? part.text : part.id);
  expect(toParts({ content: "OneTwo", toolCalls }).map(shown)).toEqual(["One", "call_0", "call_1", "Two"]);
});
