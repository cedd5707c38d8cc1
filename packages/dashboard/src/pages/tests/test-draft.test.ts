import type { AgentTest } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { describe, expect, it } from "vitest";
import { emptyCheck, emptyResult, emptyTest, type TestDraft, toBody, toDraft } from "./test-draft.ts";

const content = {
  name: "Rental prices",
  turns: ["What does a bike cost?", "And for two days?"],
  checks: [
    { kind: "tool_called", tool: "rental_price", arguments: { days: 2 } },
    { kind: "tool_not_called", tool: "book" },
    { kind: "says", text: "50" },
    { kind: "never_says", text: "discount" },
    { kind: "language", language: "en" },
    { kind: "cites", document: "Prices" },
    { kind: "asks_for_person" },
    { kind: "refuses" },
    { kind: "max_words", n: 60 },
    { kind: "judge", text: "is friendly" },
  ],
  results: { rental_price: { total: 50 }, opening_hours: "9 to 18" },
} satisfies Partial<AgentTest>;

const stored: AgentTest = {
  ...content,
  id: "test_1",
  conversationId: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

const filled: TestDraft = { ...emptyTest(), turns: [{ text: "Hello" }] };

describe("the draft of a test", () => {
  it("saves a stored test with all kinds of checks unchanged", () => {
    expect(toBody(toDraft(stored))).toEqual(content);
  });

  it.each([
    42,
    -1.5e21,
    true,
    null,
    "42",
    "true",
    "[see the list]",
    '{"ok":true}',
    '"quoted"',
    "",
    "007",
    [1],
    { n: 1 },
  ])("saves the answer %j of a tool unchanged", (answer) => {
    const test = { ...stored, results: { stock: answer } };
    expect(toBody(toDraft(test)).results).toEqual({ stock: answer });
  });

  it("keeps the fields of a kind while another kind is chosen, and saves only those of the chosen kind", () => {
    const checks = [{ ...emptyCheck(), text: "9 am", kind: "max_words" as const, n: 5 }];
    expect(toBody({ ...filled, checks }).checks).toEqual([{ kind: "max_words", n: 5 }]);
  });

  it.each<[string, Partial<TestDraft>, string]>([
    ["an empty message", { turns: [{ text: " " }] }, "turns.0"],
    [
      "arguments that are not JSON",
      { checks: [{ ...emptyCheck(), kind: "tool_called", arguments: "{days}" }] },
      "checks.0.arguments",
    ],
    [
      "arguments that are no object",
      { checks: [{ ...emptyCheck(), kind: "tool_called", arguments: "2" }] },
      "checks.0.arguments",
    ],
    ["a broken answer", { results: [{ ...emptyResult(), tool: "stock", answer: "[1," }] }, "results.0.answer"],
    ["an answer of no tool", { results: [emptyResult()] }, "results.0.tool"],
    [
      "two answers of a tool",
      {
        results: [
          { ...emptyResult(), tool: "stock" },
          { ...emptyResult(), tool: "stock " },
        ],
      },
      "results.1.tool",
    ],
  ])("refuses %s and names the field", (_, part, path) => {
    const save = () => toBody({ ...filled, ...part });
    expect(save).toThrow(expect.objectContaining({ details: [expect.objectContaining({ path })] }));
    expect(save).toThrow(FoyerError);
  });
});
