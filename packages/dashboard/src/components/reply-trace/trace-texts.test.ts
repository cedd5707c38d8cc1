import { describe, expect, it } from "vitest";
import { stepFacts, stepTitle, toBars, tokenLines } from "./trace-texts.ts";

describe("the steps of a reply", () => {
  it("have titles for people", () => {
    const steps = [
      { kind: "model", name: "reply" },
      { kind: "model", name: "follow_ups" },
      { kind: "tool", name: "stock_lookup" },
    ] as const;
    expect(steps.map(stepTitle)).toEqual(["Model", "Follow-up questions", "Stock lookup"]);
  });

  it.each([
    [{ stopReason: "end_turn", retries: 0, bytes: null }, "finished"],
    [{ stopReason: "max_tokens", retries: 2, bytes: null }, "reached its token limit, 2 failed attempts"],
    [{ stopReason: "other", retries: 1, bytes: null }, "other, 1 failed attempt"],
    [{ stopReason: null, retries: 0, bytes: 2_100 }, "2 KB result"],
  ])("say why they stopped and what they needed: %j", (step, text) => {
    expect(stepFacts(step)).toBe(text);
  });

  it("name cached and reasoning tokens only if there are any", () => {
    const tokens = { inputTokens: 1_200, cachedInputTokens: 800, outputTokens: 40, reasoningTokens: 0 };
    expect(tokenLines(tokens)).toEqual(["1,200 in (800 cached)", "40 out"]);
  });

  it("say that a provider did not count tokens", () => {
    const tokens = { inputTokens: null, cachedInputTokens: null, outputTokens: null, reasoningTokens: null };
    expect(tokenLines(tokens)).toEqual(["not counted"]);
  });

  it("share one time axis", () => {
    const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString();
    const bars = toBars([
      { startedAt: at(0), durationMs: 400, firstTokenMs: 100 },
      { startedAt: at(400), durationMs: 100, firstTokenMs: null },
      { startedAt: at(500), durationMs: 500, firstTokenMs: 600 },
    ]);
    expect(bars).toEqual([
      { start: 0, width: 40, firstToken: 25 },
      { start: 40, width: 10, firstToken: null },
      { start: 50, width: 50, firstToken: 100 },
    ]);
  });

  it("have a bar although no time has passed", () => {
    expect(toBars([{ startedAt: new Date(0).toISOString(), durationMs: 0, firstTokenMs: 0 }])).toEqual([
      { start: 0, width: 0, firstToken: null },
    ]);
  });
});
