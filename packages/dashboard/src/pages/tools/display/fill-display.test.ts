import { describe, expect, it } from "vitest";
import { displayOf } from "../../../../../server/src/tools/display-result.ts";
import { keyed } from "../row-key.ts";
import { toDisplayConfig } from "../tool-draft.ts";
import { fillDisplay } from "./fill-display.ts";
import { pathsOf, pathsWithin, readResult } from "./result-paths.ts";
import { sampleResult } from "./sample-result.ts";

type Display = Parameters<typeof fillDisplay>[1];

const display = (type: Display["type"], mappings: Record<string, string>): Display => ({
  type,
  fieldMappings: Object.entries(mappings).map(([slot, path]) => keyed({ slot, path })),
  options: {},
});

const result = {
  title: "Bikes",
  best: { name: "City One", price: 690, url: "javascript:alert(1)", image: "https://example.com/a.png" },
  bikes: [
    { name: "City One", price: 690, tags: ["light"] },
    { name: "Tourer 7", price: 1190 },
  ],
  words: ["Yes", "No"],
};

const displays: Display[] = [
  display("text", {}),
  display("text", { text: "best.name" }),
  display("product_card", { title: "best.name", price: "best.price", url: "best.url", image: "best.image" }),
  display("product_carousel", { items: "bikes", title: "name", price: "price" }),
  display("image", { image: "best.image", title: "title" }),
  display("table", { rows: "bikes", Bike: "name", Price: "price", Gone: "nothing" }),
  display("buttons", { title: "title", buttons: "words" }),
  display("buttons", { buttons: "bikes", label: "name" }),
  display("custom", { one: "best.name", two: "bikes.1.name" }),
];

describe("the preview of a display", () => {
  it.each(displays.map((one) => [JSON.stringify(toDisplayConfig(one)), one] as const))(
    "shows what the server shows: %s",
    (_, one) => {
      expect(fillDisplay(result, one).slots).toEqual(displayOf(result, toDisplayConfig(one)).slots);
    },
  );

  it("has something to show before there is a result", () => {
    const shown = fillDisplay(
      sampleResult(display("product_carousel", { items: "data.bikes", title: "name", price: "cost.now" })),
      display("product_carousel", { items: "data.bikes", title: "name", price: "cost.now" }),
    );
    expect(shown.slots.items).toEqual([
      { title: "City One", price: "690 €" },
      { title: "Tourer 7", price: "1,190 €" },
      { title: "Harbour E", price: "2,490 €" },
    ]);
  });

  it("offers the fields of a result, and of the entries of its lists", () => {
    expect(pathsOf(result).map(({ path }) => path)).toEqual(
      expect.arrayContaining(["title", "best", "bikes", "best.name", "bikes.0.name"]),
    );
    expect(pathsWithin(result, "bikes").map(({ path }) => path)).toEqual(["name", "price", "tags", "tags.0"]);
    expect(readResult('{"a":1}')).toEqual({ a: 1 });
    expect(readResult("{a}")).toBe("{a}");
  });
});
