import { expect, it } from "vitest";
import { builtInTitle, toolTitle } from "./tool-title.ts";

it.each([
  ["leave_message", "Leave message"],
  ["order-status", "Order status"],
  ["stock", "Stock"],
  ["___", "___"],
])("shows the tool %s to people as %s", (name, title) => {
  expect(toolTitle(name)).toBe(title);
});

it("names calls of built-in tools by what they do, and leaves the organization's own tools to their names", () => {
  expect(["handoff", "documents", "http", null].map(builtInTitle)).toEqual([
    "Request a person",
    "Search documents",
    null,
    null,
  ]);
});
