import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { streamLines } from "../../../../test/replay.ts";
import { readChatCompletion } from "./chat-completions-stream.ts";
import type { ModelPart } from "./chat-model.ts";

const done = "data: [DONE]\n\n";

describe("a byte stream", () => {
  const stream = [
    createEvent({ reasoning: "Überlegung… 思考" }),
    createEvent({ content: "" }),
    ...["Grüße ", "👩‍👩‍👧", "\n\n“", '"quoted"', "”", "日本語", " a", " b", " c"].map((content) =>
      createEvent({ content }),
    ),
    createEvent({ tool_calls: [{ index: 0, id: "a", function: { name: "find", arguments: '{"q":"' } }] }).replaceAll(
      "\n",
      "\r\n",
    ),
    ": ping\n\n",
    createEvent({ tool_calls: [{ index: 0, function: { arguments: 'é"}' } }] }),
    createEvent({}, "tool_calls") + done,
  ].join("");

  it("may be split anywhere", async () => {
    const bytes = Buffer.from(stream);
    const whole = mergeParts(await read([bytes]));
    expect(joinText(whole)).toBe('Grüße 👩‍👩‍👧\n\n“"quoted"”日本語 a b c');
    expect(listCalls(whole)).toEqual([["a", "find", '{"q":"é"}']]);
    expect(mergeParts(await read(cut(bytes, [...bytes.keys()])))).toEqual(whole);
    const property = fc.asyncProperty(fc.array(fc.nat({ max: bytes.length })), async (at) => {
      expect(mergeParts(await read(cut(bytes, at)))).toEqual(whole);
    });
    await fc.assert(property);
  });

  it("may contain any text", async () => {
    const token = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom('"', "\\", "\n", "\t", "é", "👩‍👩‍👧", '","content":"'),
    );
    const property = fc.asyncProperty(fc.array(token), async (tokens) => {
      const text = [...tokens.map((content) => createEvent({ content })), createEvent({}, "stop")].join("");
      expect(joinText(await read([Buffer.from(text)]))).toBe(tokens.join(""));
    });
    await fc.assert(property, { numRuns: 100 });
  });
});

describe("streams of chat completions", () => {
  it.each([
    ["openai-chat.text", "text", /^\*\*Opening hours:\*\* Harbour Bikes\n/, 47],
    ["openai-compatible.text", "text", /^City One$/, 40],
    ["mistral.text", "text", /^Hello, sailor! The ferry stops opposite our shop\.$/, 11],
    ["openai-compatible.text", "reasoning", /^First, the visitor asks for one word:/, 40],
    ["openai-compatible.tool-call", "reasoning", /^First, the visitor wants to know/, 50],
  ] as const)("from %s contain the %s", async (name, kind, beginning, outputTokens) => {
    const { lines, stream } = readFixture(name);
    const field = kind === "text" ? "content" : "reasoning_content";
    const expected = lines.map((one) => one.choices[0]?.delta[field] ?? "").join("");
    expect(expected).toMatch(beginning);
    const parts = await read([Buffer.from(stream)]);
    expect(joinText(parts, kind)).toBe(expected);
    expect(parts.at(-1)).toMatchObject({ type: "finish", usage: { outputTokens: { total: outputTokens } } });
  });

  it.each([
    ["mistral.tool-call", [["kB7mQ2xTz", "bike_stock", '{"category": "cargo"}']]],
    ["openai-compatible.tool-call", [["call_55213042", "bike_stock", '{"category":"cargo"}']]],
    [
      "openai-chat.tool-calls",
      [
        ["call_HarbourStock1", "bike_stock", '{"category":"cargo"}'],
        ["call_HarbourHours2", "opening_hours", "{}"],
      ],
    ],
  ])("from %s contain the tool calls", async (name, calls) => {
    const parts = await read([Buffer.from(readFixture(name).stream)]);
    expect(listCalls(parts)).toEqual(calls);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls", raw: "tool_calls" } });
  });

  it.each([
    "openai-chat.text",
    "openai-chat.tool-calls",
    "openai-compatible.text",
    "openai-compatible.tool-call",
    "mistral.text",
    "mistral.tool-call",
  ])("from %s are the same in single bytes", async (name) => {
    const bytes = Buffer.from(readFixture(name).stream);
    expect(mergeParts(await read(cut(bytes, [...bytes.keys()])))).toEqual(mergeParts(await read([bytes])));
  });

  function readFixture(name: string) {
    const lines = streamLines(name);
    return {
      lines: lines.map((text) => JSON.parse(text)),
      stream: [...lines.map((text) => `data: ${text}\n\n`), done].join(""),
    };
  }
});

function createEvent(delta: object, finish_reason: string | null = null) {
  return `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

async function read(chunks: Uint8Array[]): Promise<ModelPart[]> {
  const body = new Readable({ read() {} });
  for (const chunk of chunks) body.push(chunk);
  body.push(null);
  const parts: ModelPart[] = [];
  await readChatCompletion(body, (part) => parts.push(part), { url: "https://models.example" });
  return parts;
}

function cut(bytes: Uint8Array, at: number[]) {
  const places = [0, ...at.toSorted((a, b) => a - b), bytes.length];
  return places
    .slice(1)
    .map((place, index) => bytes.subarray(places[index], place))
    .filter((piece) => piece.length > 0);
}

/** The parts with consecutive deltas joined. The result must not depend on how the bytes arrive. */
function mergeParts(parts: ModelPart[]) {
  const result: ModelPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last && "delta" in last && "delta" in part && last.type === part.type) last.delta += part.delta;
    else result.push({ ...part });
  }
  return result;
}

function joinText(parts: ModelPart[], kind: "text" | "reasoning" = "text") {
  return parts.map((part) => (part.type === `${kind}-delta` && "delta" in part ? part.delta : "")).join("");
}

function listCalls(parts: ModelPart[]) {
  return parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part.toolName, part.input]] : []));
}
