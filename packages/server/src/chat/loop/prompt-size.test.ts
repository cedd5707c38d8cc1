import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { createPromptMeter } from "./prompt-size.ts";

const search: LanguageModelV4FunctionTool = { type: "function", name: "search", inputSchema: { type: "object" } };
const call = (toolName: string, input: unknown, value: string): LanguageModelV4Prompt => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName, input }] },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName, output: { type: "text", value } }],
  },
];

it("measures the parts of a prompt, and only the new messages of a later step", () => {
  const measure = createPromptMeter({
    tools: [search],
    documentCharacters: 30,
    isSearch: (name) => name === "search",
  });
  const prompt: LanguageModelV4Prompt = [
    { role: "system", content: "i".repeat(12) },
    { role: "system", content: "d".repeat(30) },
    { role: "user", content: [{ type: "text", text: "Hello?" }] },
  ];
  const first = { instructions: 12, documents: 30, tools: JSON.stringify([search]).length, history: 6 };
  expect(measure(prompt)).toEqual(first);
  prompt.push(...call("search", { q: 1 }, "passage"), ...call("stock", { b: 2 }, "three"));
  expect(measure(prompt)).toEqual({ ...first, documents: 37, history: 6 + 7 + 7 + 5 });
});

it("counts no tools when there are none", () => {
  const measure = createPromptMeter({ tools: [], documentCharacters: 0, isSearch: () => false });
  expect(measure([])).toEqual({ instructions: 0, documents: 0, tools: 0, history: 0 });
});
