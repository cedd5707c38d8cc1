import type { DisplayConfig } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { checkDisplayConfig } from "./display-config-rules.ts";

const cardMappings = { title: "name", price: "cost.amount", image: "photos.0", url: "link" };

describe("checkDisplayConfig", () => {
  it.each<DisplayConfig>([
    {},
    { type: "text", fieldMappings: { text: "a" } },
    { type: "product_card", fieldMappings: cardMappings },
    { type: "product_carousel", fieldMappings: { items: "list", ...cardMappings } },
    { type: "buttons", fieldMappings: { title: "t", buttons: "b", label: "l", value: "v", url: "u" } },
    { type: "table", fieldMappings: { rows: "list", "Any header": "a.b" } },
    { type: "custom", fieldMappings: { anything: "a.b.c.d.e.f.g.h.i.j" } },
    { type: "form", fieldMappings: {} },
    { fieldMappings: { title: "t" } },
    { type: "image", fieldMappings: { url: "src" } },
    { type: "product_card", fieldMappings: { ...cardMappings, rating: "r" } },
  ])("accepts %j", (config) => {
    expect(() => checkDisplayConfig(config)).not.toThrow();
  });

  it.each<[string, string, DisplayConfig]>([
    [
      "constructor",
      "cannot be used as a slot name",
      { type: "custom", fieldMappings: { constructor: "a" } as Record<string, string> },
    ],
    ["x", "must have at most 10 segments", { type: "custom", fieldMappings: { x: "a.b.c.d.e.f.g.h.i.j.k" } }],
    ["x", "must be the name of a field", { type: "custom", fieldMappings: { x: "a..b" } }],
    ["x", "must be the name of a field", { type: "table", fieldMappings: { x: " " } }],
    ["x", "must be the name of a field", { type: "custom", fieldMappings: { x: "a.__proto__" } }],
  ])("refuses %s: %s", (slot, message, config) => {
    const path = `displayConfig.fieldMappings.${slot}`;
    const details = [{ path, code: "not_allowed", message: expect.stringContaining(message) }];
    expect(() => checkDisplayConfig(config)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR", details }));
  });
});
