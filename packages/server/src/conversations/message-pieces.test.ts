import { expect, it } from "vitest";
import { type Piece, toColumns, toolCallsOf } from "./message-pieces.ts";

it("toolCallsOf returns the position of each call in the text, and its display", () => {
  const call = { type: "tool" as const, id: "call_1", name: "find", toolId: null, executionType: "mock", input: {} };
  const display = { type: "text", slots: { text: "3" }, options: {} };
  const pieces: Piece[] = [
    { ...call, result: { result: "3", isError: false, displayConfig: null, display, forModel: "secret" } },
    { type: "text", text: "Three 🚲. " },
    { ...call, id: "call_2" },
    { type: "text", text: "Done." },
  ];
  const { content } = toColumns(pieces);
  const calls = toolCallsOf(pieces);
  expect(calls.map(({ id, display, form, textBefore }) => [id, display, form, content.slice(0, textBefore)])).toEqual([
    ["call_1", display, null, ""],
    ["call_2", null, null, "Three 🚲. "],
  ]);
  expect(JSON.stringify(calls)).not.toContain("secret");
});
