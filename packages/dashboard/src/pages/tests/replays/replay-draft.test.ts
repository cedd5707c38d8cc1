import type { Agent } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { emptyCheck } from "../test-draft.ts";
import { createDraft, requireLimit, roundUp, toBody } from "./replay-draft.ts";

const agent = (publishing: Agent["publishing"], liveVersion: number) => ({ publishing, liveVersion }) as Agent;

describe("the draft of a replay", () => {
  it.each([
    ["manual", 3, "3", "draft"],
    ["immediate", 3, "2", "3"],
    ["immediate", 1, "1", "1"],
  ] as const)("compares versions of an agent with %s publishing and live version %i", (publishing, live, from, to) => {
    expect(createDraft(agent(publishing, live))).toMatchObject({ from, to });
  });

  it("sends only the filters that were set, with days as instants", () => {
    const draft = createDraft(agent("manual", 3));
    const sample = { ...draft.sample, n: 20, feedback: "down" as const, since: "2026-01-31", until: "2026-01-31" };
    const checks = [{ ...emptyCheck(), text: "9 am" }];
    expect(toBody({ ...draft, sample, checks, maxCost: 2 })).toEqual({
      from: 3,
      to: "draft",
      sample: {
        n: 20,
        filter: {
          feedback: "down",
          from: new Date(2026, 0, 31).toISOString(),
          to: new Date(2026, 1, 1).toISOString(),
        },
      },
      maxCost: 2,
      checks: [{ kind: "says", text: "9 am" }],
      compare: false,
    });
  });

  it.each([
    [0.0004, 0.01],
    [0.125, 0.13],
    [8, 8],
  ])("rounds the limit %d up to %d", (cost, limit) => {
    expect(roundUp(cost)).toBe(limit);
  });

  it("refuses an empty limit, which would be none", () => {
    expect(() => requireLimit(null)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path: "maxCost" })] }),
    );
  });
});
