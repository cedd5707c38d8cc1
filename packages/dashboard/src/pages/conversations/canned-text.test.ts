import { expect, it } from "vitest";
import { fillCannedText, filterReplies, findSlashSearch } from "./canned-text.ts";

it.each([
  ["Hello {{visitor.name}}, welcome", "Ada", "Hello Ada, welcome"],
  ["Hello {{ visitor.name }}, welcome", null, "Hello, welcome"],
  ["{{visitor.name}}: hello", null, ": hello"],
  ["Hello {{visitor.name}}", "{{visitor.email}} $& $1", "Hello {{visitor.email}} $& $1"],
  ["Use {{order.id}} and {{}}", "Ada", "Use {{order.id}} and {{}}"],
])("the canned reply %j for a visitor named %j reads %j", (text, userName, filled) => {
  expect(fillCannedText(text, { userName, userEmail: "ada@shop.example" })).toBe(filled);
});

it("an email address replaces every placeholder for it in a canned reply", () => {
  const visitor = { userName: null, userEmail: "ada@shop.example" };
  expect(fillCannedText("To {{visitor.email}} or {{visitor.email}}", visitor)).toBe(
    "To ada@shop.example or ada@shop.example",
  );
});

it("a slash at the start of a word searches canned replies, and one within a word or an address does not", () => {
  expect(findSlashSearch("/ref", 4)).toEqual({ at: 0, query: "ref" });
  expect(findSlashSearch("Hello\n/Ref und", 10)).toEqual({ at: 6, query: "ref" });
  expect(findSlashSearch("and/or", 6)).toBe(null);
  expect(findSlashSearch("https://shop", 12)).toBe(null);
  expect(findSlashSearch("/refund now", 11)).toBe(null);
});

it("canned replies whose name begins with the query come before those that only contain it", () => {
  const reply = (name: string, text = "") => ({ name, text });
  const replies = [reply("Closing", "refund"), reply("No refund"), reply("Refund"), reply("Hours")];
  expect(filterReplies(replies, "ref").map(({ name }) => name)).toEqual(["Refund", "No refund", "Closing"]);
  expect(filterReplies(replies, "")).toHaveLength(4);
});
