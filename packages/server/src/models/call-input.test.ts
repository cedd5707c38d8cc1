import { afterEach, describe, expect, it, vi } from "vitest";
import { createCompletion, emitEnd, readEvent } from "./chat-completions-reply.ts";

afterEach(() => vi.restoreAllMocks());

/** Reads a tool call in pieces. @returns the characters that were parsed or trimmed, and the input */
function readPieces(pieces: readonly string[]) {
  let characters = 0;
  const { parse } = JSON;
  const { trim } = String.prototype;
  vi.spyOn(JSON, "parse").mockImplementation((text: string) => {
    characters += text.length;
    return parse(text);
  });
  vi.spyOn(String.prototype, "trim").mockImplementation(function (this: string) {
    characters += this.length;
    return trim.call(this);
  });
  let input: string | null = null;
  const completion = createCompletion("", (part) => {
    if (part.type === "tool-call") input = part.input;
  });
  for (const piece of pieces) {
    readEvent(completion, {
      choices: [{ delta: { tool_calls: [{ index: 0, function: { name: "", arguments: piece } }] } }],
    });
  }
  const call = completion.calls[0];
  if (call) call.name = "find";
  emitEnd(completion);
  vi.restoreAllMocks();
  return { characters, input };
}

const kinds: Array<[string, (count: number) => string[]]> = [
  ["letters of a text", (count) => ['{"a":"', ...Array<string>(count).fill("q"), '"}']],
  ["closing brackets in a text", (count) => ['{"a":"', ...Array<string>(count).fill("}"), '"}']],
  ["closing brackets", (count) => Array<string>(count).fill("}")],
  ["spaces after an object", (count) => ['{"a":1}', ...Array<string>(count).fill(" ")]],
  ["spaces in an object", (count) => ["{", ...Array<string>(count).fill(" "), "}"]],
  ["escapes", (count) => ['{"a":"', ...Array<string>(count).fill("\\\\"), '"}']],
];

describe("the input of a tool call", () => {
  it.each(kinds)("is read in linear time when it consists of %s", (_, create) => {
    const [one, two] = [readPieces(create(2_000)), readPieces(create(4_000))];
    expect(two.characters).toBeLessThanOrEqual(one.characters * 2.2);
  });

  it.each(kinds)("is complete when it consists of %s", (_, create) => {
    const pieces = create(100);
    expect(readPieces(pieces).input).toBe(pieces.join(""));
  });

  it("ends the reply after 100,000 pieces", () => {
    expect(() => readPieces(["{", ...Array<string>(100_000).fill("q")])).toThrow("too large");
  });

  it("ends the reply after 100,000 events without content", () => {
    const completion = createCompletion("", () => {});
    const read = () => {
      for (let count = 0; count <= 100_000; count++) readEvent(completion, {});
    };
    expect(read).toThrow("without content");
  });
});
