import { expect, it } from "vitest";
import { toolTitle } from "../components/tool-title.ts";
import { isMatch } from "./entry-match.ts";

it("a search matches an entry whose keywords contain each of its words, in any order, and by its complete id", () => {
  const entry = { id: "agent_01zzzz", keywords: "agent Harbour Bikes" };
  expect(isMatch(entry, "bikes harb")).toBe(true);
  expect(isMatch(entry, "")).toBe(true);
  expect(isMatch(entry, "harbour cars")).toBe(false);
  expect(isMatch(entry, "zzzz")).toBe(false);
  expect(isMatch(entry, "agent_01zzzz")).toBe(true);
});

it("toolTitle turns a tool's name into words", () => {
  expect(toolTitle("leave_message")).toBe("Leave message");
  expect(toolTitle("stock")).toBe("Stock");
  expect(toolTitle("_")).toBe("_");
});
