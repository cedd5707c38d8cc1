import type { ConversationCounts } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { noCounts } from "./analytics-range.ts";
import { compareMetric, listMetrics, type Metric } from "./metrics.ts";

const counts = (given: Partial<ConversationCounts>): ConversationCounts => ({ ...noCounts, ...given });
const metric = (id: Metric["id"]) =>
  listMetrics({ totals: counts({}), currency: "EUR" }).find((known) => known.id === id) as Metric;

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

describe("the attachments among the metrics", () => {
  const attachmentsOf = (totals: ConversationCounts) =>
    listMetrics({ totals, currency: "EUR" }).find(({ id }) => id === "attachments");

  it("are left out if there are none", () => {
    expect(attachmentsOf(counts({ replies: 3 }))).toBeUndefined();
  });

  it("are shown with who sent them", () => {
    const totals = counts({ visitorAttachments: 1_200, memberAttachments: 3 });
    const shown = attachmentsOf(totals);
    expect([shown?.value(totals), shown?.note(totals)]).toEqual(["1,203", "1,200 from visitors, 3 from your team"]);
  });
});

describe("the cost among the metrics", () => {
  const costOf = (totals: ConversationCounts) =>
    listMetrics({ totals, currency: "EUR" }).find(({ id }) => id === "cost");

  it("is left out as long as no reply has a known cost", () => {
    expect(costOf(counts({ replies: 3, unknownCostReplies: 3 }))).toBeUndefined();
  });

  it("is shown with the cost per reply", () => {
    const totals = counts({ replies: 4, cost: 2 });
    expect([costOf(totals)?.value(totals), costOf(totals)?.note(totals)]).toEqual(["€2.00", "€0.50 per reply"]);
  });

  it("names the replies that it does not include", () => {
    const totals = counts({ replies: 4, cost: 2, unknownCostReplies: 1 });
    expect(costOf(totals)?.note(totals)).toBe("without 1 reply of unknown cost");
  });
});
