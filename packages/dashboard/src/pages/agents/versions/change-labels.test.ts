import { describe, expect, it } from "vitest";
import { describePlace, describeValue } from "./change-labels.ts";

describe("the words for a change of an agent", () => {
  it.for([
    ["agent.systemPrompt", "Agent", "System prompt"],
    ["agent.widget.accentColor", "Appearance", "Accent color"],
    ["agent.images.logo", "Appearance", "Logo"],
    ["agent.handoff.promiseMinutes", "Handoff", "Promise minutes"],
    ["agent.reasoning", "Agent", "Reasoning"],
    ["tools.stock_lookup.description", "Tool Stock lookup", "Description"],
    ["tools.stock_lookup", "Tool Stock lookup", null],
    ["triggers.Help.conditions.page", "Trigger Help", "Conditions, Page"],
    ["triggers.Help", "Trigger Help", null],
    ["triggers.Help at shop.example", "Trigger Help at shop.example", null],
    ["triggers.Help at shop.example.isEnabled", "Trigger Help at shop.example", "Enabled"],
  ])("names %s", ([path, subject, setting]) => {
    expect(describePlace({ path: path ?? "" })).toEqual({ subject, setting });
  });

  it.for([
    [true, "On"],
    [false, "Off"],
    [30, "30"],
    ["", null],
    [null, null],
    [[], null],
    [["a", "b"], "a\nb"],
    [{ page: "/" }, '{\n  "page": "/"\n}'],
  ] as const)("writes the value %j", ([value, text]) => {
    expect(describeValue(value)).toBe(text);
  });
});
