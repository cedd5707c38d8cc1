import { expect, it } from "vitest";
import { displayOptions, displayTypes, findUnusedSettings } from "./display-types.ts";

it.each([
  [{}, { slots: [], options: [] }],
  [{ fieldMappings: { text: "answer", title: "name" } }, { slots: ["title"], options: [] }],
  [
    { type: "image", fieldMappings: { image: "photo", url: "link" }, options: { showPrice: true } },
    { slots: ["url"], options: ["showPrice"] },
  ],
  [
    { type: "product_card", fieldMappings: { rating: "stars" }, options: { showPrice: true, showRating: true } },
    { slots: ["rating"], options: ["showRating"] },
  ],
  [
    { type: "table", fieldMappings: { rows: "list", Name: "name" } },
    { slots: [], options: [] },
  ],
  [
    { type: "custom", fieldMappings: { anything: "field" } },
    { slots: [], options: [] },
  ],
] as const)(
  "unusedDisplaySettings names the slots and options of %j that the display type does not use",
  (config, unused) => {
    expect(findUnusedSettings(config)).toEqual(unused);
  },
);

it("displayOptions lists every option of every display type", () => {
  const used = new Set(Object.values(displayTypes).flatMap(({ options }) => [...options]));
  expect([...used].sort()).toEqual([...displayOptions].sort());
});
