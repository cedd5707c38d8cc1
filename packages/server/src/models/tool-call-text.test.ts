import { describe, expect, it } from "vitest";
import type { ModelPart } from "./chat-model.ts";
import { createToolCallTextFilter } from "./tool-call-text.ts";

/** Runs one step in which the tool `find` is offered. */
function runStep(deltas: Iterable<string>) {
  let text = "";
  const calls: Array<[string, unknown]> = [];
  const filter = createToolCallTextFilter(new Set(["find"]), (part) => {
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "tool-call") calls.push([part.toolName, JSON.parse(part.input)]);
  });
  for (const delta of deltas) filter({ type: "text-delta", id: "1", delta });
  filter({ type: "finish" } as ModelPart);
  return { text, calls };
}

describe("calls of tools in the text", () => {
  it.each<[string, unknown]>([
    ['<tool_call>{"name":"find","arguments":{"bike":"cargo"}}</tool_call>', { bike: "cargo" }],
    ['[TOOL_CALLS][{"name":"find","arguments":{"bike":"cargo"}}]', { bike: "cargo" }],
    ['[TOOL_CALLS]find[ARGS]{"bike":"cargo"}', { bike: "cargo" }],
    [
      "<function=find><parameter=bike>\ncargo\n</parameter><parameter=size>5</parameter></function>",
      { bike: "cargo", size: 5 },
    ],
    ['<function=find>{"bike":"cargo"}</function>', { bike: "cargo" }],
    ["<tool_call>find\n<arg_key>bike</arg_key>\n<arg_value>cargo</arg_value></tool_call>", { bike: "cargo" }],
  ])("are made and hidden: %s", (written, input) => {
    expect(runStep(["One moment. ", ...written])).toEqual({ text: "One moment. ", calls: [["find", input]] });
  });

  it.each([
    "The mark `<tool_call>` begins a call.",
    "```\n<tool_call>{}</tool_call>\n```",
    "````\n<tool_call>{}</tool_call>\n````",
  ])("are text in code, wherever it is cut: %s", (text) => {
    for (let place = 0; place <= text.length; place++) {
      expect(runStep([text.slice(0, place), text.slice(place)])).toEqual({ text, calls: [] });
    }
    expect(runStep(text)).toEqual({ text, calls: [] });
  });

  // A pattern that starts again at every place of the text takes minutes.
  it.each(["x", " ", "</", "{", "<parameter=a>", "<arg_value>", "<arg_key>", "[", "\n", "{\n"])(
    "are read in linear time from a block of %j",
    (unit) => {
      const block = unit.repeat(300_000 / unit.length);
      expect(runStep(["<tool_call><function=other>", block, "[TOOL_CALLS]"]).calls).toEqual([]);
    },
  );
});
