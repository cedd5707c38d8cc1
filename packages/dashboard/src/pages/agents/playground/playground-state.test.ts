import type { ChatEvent, Message } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import {
  applyEvent,
  createTurn,
  findPreviousResult,
  mayCite,
  type PlaygroundTool,
  type PlaygroundTurn,
  withMemberDetails,
} from "./playground-state.ts";

const start = {
  type: "message_start",
  conversationId: "conv_1",
  messageId: "msg_1",
  conversationToken: "t",
} as const;
const text = (index: number, words: string): ChatEvent => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text: words },
});
const call: ChatEvent = {
  type: "tool_use_start",
  index: 1,
  id: "call_1",
  name: "stock",
  toolId: "tool_1",
  executionType: "http",
  input: { bike: "tourer" },
};
const result = (isError: boolean): ChatEvent => ({
  type: "tool_result",
  index: 1,
  toolUseId: "call_1",
  name: "stock",
  result: { left: 3 },
  isError,
  displayConfig: null,
  display: null,
});
const stop = (stopReason: "end_turn" | "max_steps" | "aborted" | "error"): ChatEvent => ({
  type: "message_stop",
  messageId: "msg_1",
  stopReason,
  usage: { inputTokens: 120, cachedInputTokens: 0, outputTokens: 30 },
});

/** Applies events that arrive 10 ms apart, the first one 10 ms after the question. */
const after = (...events: ChatEvent[]) =>
  events.reduce<PlaygroundTurn>(
    (turn, event, index) => applyEvent(turn, event, 10 * (index + 1)),
    createTurn(1, { said: "Hi", attached: [] }, 0),
  );

describe("a reply in the playground", () => {
  it("grows as text arrives", () => {
    const turn = after(start, text(0, "We are "), text(0, "open."), stop("end_turn"));
    expect(turn.parts).toEqual([{ type: "text", text: "We are open." }]);
    expect([turn.state, turn.firstWordAt, turn.endedAt, turn.tokens]).toEqual(["done", 20, 40, 150]);
  });

  it("keeps a tool call with its input, result and duration", () => {
    const turn = after(start, text(0, "One moment."), call, result(false), text(2, "Three are left."));
    expect(turn.parts[1]).toEqual({
      type: "tool",
      id: "call_1",
      name: "stock",
      label: null,
      kind: "http",
      state: "done",
      input: { bike: "tourer" },
      result: { left: 3 },
      display: null,
      form: null,
      startedAt: 30,
      endedAt: 40,
    });
    expect(turn.parts[2]).toEqual({ type: "text", text: "Three are left." });
    expect(after(start, text(0, "…"), call, result(true)).parts[1]).toMatchObject({ state: "failed" });
  });

  it("can have citations once documents were searched, or sources arrived", () => {
    const search = { ...call, executionType: "documents" } as ChatEvent;
    const sources = { type: "sources", sources: [{ n: 1 }] } as ChatEvent;
    const turns = [[text(0, "See [1].")], [text(0, "…"), call], [text(0, "…"), search], [text(0, "See [1]."), sources]];
    expect(turns.map((events) => mayCite(after(start, ...events)))).toEqual([false, false, true, true]);
  });

  it("shows how it ended, and why it failed", () => {
    const ends = (["end_turn", "max_steps", "aborted", "error"] as const).map((reason) => after(stop(reason)).state);
    expect(ends).toEqual(["done", "cut", "stopped", "failed"]);
    const error: ChatEvent = { type: "error", error: { code: "INTERNAL", message: "The model refused the key." } };
    expect(after(start, error, stop("error"))).toMatchObject({
      state: "failed",
      problem: "The model refused the key.",
    });
  });

  it("tells members the provider's own reason and a result that visitors do not receive", () => {
    const hidden = { ...result(false), result: null } as ChatEvent;
    const failed = after(start, text(0, "…"), call, hidden, stop("error"));
    const toolCalls = [{ id: "call_1", forModel: "three" }];
    const failure = { provider: "openai", providerStatus: 401, message: "Incorrect API key provided" };
    const told = withMemberDetails(failed, { toolCalls, failure } as unknown as Message);
    expect(told.problem).toBe("openai answered 401: Incorrect API key provided");
    expect(told.parts[1]).toMatchObject({ result: "three" });
  });

  it("fills in a form with the last result before it that visitors received", () => {
    const form = { toolId: "tool_2", formSchema: { fields: [] } };
    const book = { ...call, id: "call_2", index: 2 } as ChatEvent;
    const shown = { ...result(false), toolUseId: "call_2", index: 2, result: null, form } as unknown as ChatEvent;
    const turn = after(start, text(0, "…"), call, result(false), book, shown);
    const formIn = ({ parts }: PlaygroundTurn) => parts[2] as PlaygroundTool;
    expect(findPreviousResult([turn], formIn(turn))).toEqual({ left: 3 });
    const earlier = after(start, text(0, "…"), call, result(false), stop("end_turn"));
    const next = after(start, text(0, "…"), text(1, "…"), book, shown);
    expect(findPreviousResult([earlier, next], formIn(next))).toEqual({ left: 3 });
    expect(findPreviousResult([next], formIn(next))).toBeNull();
    const hidden = after(start, text(0, "…"), call, { ...result(false), result: null } as ChatEvent, stop("end_turn"));
    const detailed = withMemberDetails(hidden, {
      toolCalls: [{ id: "call_1", forModel: "three" }],
    } as unknown as Message);
    expect(findPreviousResult([detailed, next], formIn(next))).toBeNull();
  });

  it("is connected again with the first part after a broken connection", () => {
    const broken = { ...after(start, text(0, "We ")), isReconnecting: true };
    expect(applyEvent(broken, text(0, "are"), 90).isReconnecting).toBe(false);
  });
});
