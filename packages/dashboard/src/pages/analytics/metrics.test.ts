import type { ConversationCounts } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { noCounts } from "./analytics-range.ts";
import { compareMetric, type Metric, metrics } from "./metrics.ts";

const counts = (given: Partial<ConversationCounts>): ConversationCounts => ({ ...noCounts, ...given });
const metric = (id: Metric["id"]) => metrics.find((known) => known.id === id) as Metric;

describe("the change of a metric since the period before", () => {
  it.each([
    [112, 100, "+12%"],
    [50, 200, "−75%"],
    [3_000, 100, "+2,900%"],
    [7, 7, "±0%"],
    [7, 0, ""],
  ])("compares %i conversations with %i", (conversations, earlier, change) => {
    const compared = compareMetric(
      metric("conversations"),
      counts({ conversations }),
      counts({ conversations: earlier }),
    );
    expect(compared).toBe(change);
  });

  it("compares shares in points", () => {
    const before = counts({ ratedUp: 3, ratedDown: 1 });
    expect(compareMetric(metric("ratings"), counts({ ratedUp: 1, ratedDown: 1 }), before)).toBe("−25 points");
    expect(compareMetric(metric("ratings"), counts({}), before)).toBe("");
  });
});
