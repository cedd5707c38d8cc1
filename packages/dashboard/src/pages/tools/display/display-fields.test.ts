import { fillDisplay } from "@foyer/contract/rules/fill-display";
import { describe, expect, it } from "vitest";
import { withKey } from "../row-key.ts";
import { type ToolDraft, toDisplayConfig } from "../tool-draft.ts";
import { listPaths, listPathsWithin } from "./result-fields.ts";
import { sampleResult } from "./sample-result.ts";

const display = (type: ToolDraft["displayConfig"]["type"], mappings: Record<string, string>) => ({
  type,
  fieldMappings: Object.entries(mappings).map(([slot, path]) => withKey({ slot, path })),
  options: {},
});

const result = {
  title: "Bikes",
  best: { name: "City One", price: 690 },
  bikes: [
    { name: "City One", price: 690, tags: ["light"] },
    { name: "Tourer 7", price: 1190 },
  ],
};

describe("the display editor", () => {
  it("fills the preview with sample data until there is a result", () => {
    const carousel = display("product_carousel", { items: "data.bikes", title: "name", price: "cost.now" });
    expect(fillDisplay(sampleResult(carousel), toDisplayConfig(carousel)).slots.items).toEqual([
      { title: "City One", price: "690 €" },
      { title: "Tourer 7", price: "1,190 €" },
      { title: "Harbour E", price: "2,490 €" },
    ]);
  });

  it("offers the fields of a result and of the entries of its lists", () => {
    expect(listPaths(result).map(({ path }) => path)).toEqual(
      expect.arrayContaining(["title", "best", "bikes", "best.name", "bikes.0.name"]),
    );
    expect(listPathsWithin(result, "bikes").map(({ path }) => path)).toEqual(["name", "price", "tags", "tags.0"]);
  });
});
