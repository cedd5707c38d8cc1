import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NumberedPassage } from "../../tools/tool-outcome.ts";
import { createRunningReply } from "../running/running-reply.ts";
import { parsePosition, type ReplyEnding, rebuildEvents } from "./reply-events.ts";

const start = { conversationId: "conv_1", messageId: "msg_1", conversationToken: "fct_1" };
const outcome = {
  result: "ok",
  isError: false,
  displayConfig: null,
  display: null,
  forModel: "told to the model only",
};

/** One step of a reply: stream a text as deltas, end a text, or call a tool. */
type Step = { say: string[] } | { call: string } | { notice: "picture_not_seen" };
const steps = fc.array(
  fc.oneof(
    fc.record({ say: fc.array(fc.string({ minLength: 1, unit: "grapheme" }), { minLength: 1, maxLength: 5 }) }),
    fc.record({ call: fc.constantFrom("look_up", "opening_hours") }),
    fc.record({ notice: fc.constant("picture_not_seen" as const) }),
  ),
  { maxLength: 6 },
);
const endings: fc.Arbitrary<ReplyEnding> = fc.constantFrom(
  { stopReason: "end_turn", usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 2 } },
  { stopReason: "aborted" },
  { stopReason: "error", error: { code: "MODEL_TIMEOUT", message: "Too slow." } },
);

const suggestions = fc.array(fc.string({ minLength: 1 }), { maxLength: 3 });

/** Plays the steps to a reader that follows from the start. */
function play(played: readonly Step[], ending: ReplyEnding, offered: string[] = []) {
  const reply = createRunningReply(start, { agentId: "agent_1", resumable: true, resumeWindow: 1_000 });
  let heard = "";
  reply.follow({ write: (events) => (heard += events), end: () => {} }, 0);
  for (const step of played) {
    if ("say" in step) {
      for (const text of step.say) reply.text(text);
      reply.closeText();
    } else if ("notice" in step) {
      reply.notice(step.notice);
    } else {
      const piece = {
        type: "tool" as const,
        id: "call_1",
        name: step.call,
        toolId: null,
        executionType: null,
        input: {},
      };
      reply.toolUse(piece);
      reply.toolResult(piece, outcome);
    }
  }
  reply.suggest(offered);
  reply.end(ending);
  return { heard, pieces: reply.pieces };
}

type Event = { id: number; type: string; index?: number; delta?: { type: string; text: string } };
const parse = (events: string): Event[] =>
  events
    .split("\n\n")
    .filter(Boolean)
    .map((block) => {
      // Split at line feeds only, because a text may contain other characters that a regular expression treats as a
      // line end.
      const [id = "", , data = ""] = block.split("\n");
      return { ...JSON.parse(data.slice("data: ".length)), id: Number(id.split(":").at(-1)) };
    });

/** Joins the deltas of a block, because how a text was split does not matter. */
function mergeEvents(events: Event[]) {
  return events.reduce<Event[]>((all, event) => {
    const last = all.at(-1);
    if (event.type === "content_block_delta" && last?.type === event.type) {
      all[all.length - 1] = {
        ...event,
        delta: { type: "text_delta", text: (last.delta?.text ?? "") + (event.delta?.text ?? "") },
      };
    } else all.push(event);
    return all;
  }, []);
}

describe("the events of a reply", () => {
  it("are recreated after any event exactly as they were sent", () => {
    fc.assert(
      fc.property(steps, endings, suggestions, fc.nat(), (played, ending, offered, at) => {
        const { heard, pieces } = play(played, ending, offered);
        const live = parse(heard);
        const cut = live[at % live.length];
        const again = parse(rebuildEvents(cut?.id ?? 0, { start, pieces, end: ending }));
        expect(mergeEvents(again)).toEqual(mergeEvents(live.slice((at % live.length) + 1)));
      }),
    );
  });

  it("include the sources once the text is complete, even for a client that resumes before the suggestions", () => {
    const reply = createRunningReply(start, { agentId: "agent_1", resumable: true, resumeWindow: 1_000 });
    reply.text("From 11 [1].");
    const passage = { n: 1, title: "Hours", url: null, page: null, snippet: "From 11.", citation: "title" as const };
    reply.keepCited([{ ...passage, isCited: true } as NumberedPassage]);
    reply.complete();
    let heard = "";
    reply.follow({ write: (events) => (heard += events), end: () => {} }, 0);
    reply.suggest(["Until when?"]);
    reply.end({ stopReason: "end_turn" });
    const types = parse(heard).map(({ type }) => type);
    expect(types.slice(-4)).toEqual(["content_block_stop", "sources", "suggestions", "message_stop"]);
    const again = parse(rebuildEvents(0, { start, pieces: reply.pieces, end: { stopReason: "end_turn" } }));
    expect(again).toEqual(parse(heard));
    // Another process reads the stored pieces of a reply that still runs.
    const stored = parse(rebuildEvents(0, { start, pieces: reply.pieces, textIsOpen: true }));
    expect(stored).toEqual(again.slice(0, -1));
  });

  it("can start in the middle of a text", () => {
    const { pieces } = play([{ say: ["Hello", " world"] }], { stopReason: "end_turn" });
    const events = parse(rebuildEvents(2 + 3, { start, pieces, end: { stopReason: "end_turn" } }));
    expect(events.map(({ type, delta }) => delta?.text ?? type)).toEqual([
      "lo world",
      "content_block_stop",
      "message_stop",
    ]);
  });

  it("number pieces from 0 without gaps, and end with exactly one message_stop", () => {
    fc.assert(
      fc.property(steps, endings, (played, ending) => {
        const events = parse(play(played, ending).heard);
        const opened = events.filter(({ type }) => type === "content_block_start" || type === "tool_use_start");
        expect(opened.map(({ index }) => index)).toEqual(opened.map((_, index) => index));
        expect(events.filter(({ type }) => type === "message_stop")).toHaveLength(1);
        expect(events.at(-1)?.type).toBe("message_stop");
        expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).sort((a, b) => a - b));
      }),
    );
  });

  it("never contain text that is only for the model", () => {
    expect(play([{ call: "look_up" }], { stopReason: "end_turn" }).heard).not.toContain("told to the model");
  });

  it.each([
    ["msg_1:17", 17],
    ["msg_2:17", 0],
    ["msg_1", 0],
    ["msg_1:-1", 0],
    ["msg_1:1e9", 0],
    ["", 0],
    [undefined, 0],
  ])("take the position from %j: %d", (header, position) => expect(parsePosition(header, "msg_1")).toBe(position));
});
