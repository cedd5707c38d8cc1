import { expect, it } from "vitest";
import { fillCannedText, filterReplies, findFitting, findSlashSearch, findUnfilled } from "./canned-text.ts";

const facts = { visitorName: null, visitorEmail: "ada@shop.example", memberName: "Ben", agentName: "Helper" };

it.each([
  ["Hello {{visitor.name}}, welcome", "Ada", "Hello Ada, welcome"],
  ["Hello {{ visitor.name }}, welcome", null, "Hello, welcome"],
  ["{{visitor.name}}: hello", null, ": hello"],
  ["Hello {{visitor.name}}", "{{visitor.email}} $& $1", "Hello {{visitor.email}} $& $1"],
  ["Use {{order.id}} and {{}}", "Ada", "Use {{order.id}} and {{}}"],
])("the canned reply %j for a visitor named %j reads %j", (text, visitorName, filled) => {
  expect(fillCannedText(text, { ...facts, visitorName })).toBe(filled);
});

it("the names of the member and the agent replace their placeholders in a canned reply", () => {
  expect(fillCannedText("{{member.name}} from {{agent.name}}", facts)).toBe("Ben from Helper");
});

it("placeholders that no fact fills are named once each", () => {
  expect(findUnfilled("{{order.id}}, {{ order date }}, {{größe}} and {{order.id}}, but not {{ }}")).toEqual([
    "{{order.id}}",
    "{{ order date }}",
    "{{größe}}",
  ]);
});

it("an email address replaces every placeholder for it in a canned reply", () => {
  expect(fillCannedText("To {{visitor.email}} or {{visitor.email}}", facts)).toBe(
    "To ada@shop.example or ada@shop.example",
  );
});

it("a slash at the start of a word searches canned replies, and one within a word or an address does not", () => {
  expect(findSlashSearch("/ref", 4)).toEqual({ at: 0, query: "ref" });
  expect(findSlashSearch("Hello\n/Ref und", 10)).toEqual({ at: 6, query: "ref" });
  expect(findSlashSearch("and/or", 6)).toBe(null);
  expect(findSlashSearch("https://shop", 12)).toBe(null);
  expect(findSlashSearch("/refund now", 11)).toEqual({ at: 0, query: "refund now" });
  expect(findSlashSearch("/ refund", 8)).toBe(null);
  expect(findSlashSearch("/refund\nnow", 11)).toBe(null);
});

it("canned replies whose name begins with the query come before those that only contain it", () => {
  const reply = (name: string, text = "") => ({ name, text });
  const replies = [reply("Closing", "refund"), reply("No refund"), reply("Refund"), reply("Hours")];
  expect(filterReplies(replies, "ref").map(({ name }) => name)).toEqual(["Refund", "No refund", "Closing"]);
  expect(filterReplies(replies, "")).toHaveLength(4);
});

it("canned replies are found by words in any order, in their name and text", () => {
  const replies = [
    { name: "Money back", text: "The refund takes three days." },
    { name: "Hours", text: "Three days a week." },
  ];
  expect(filterReplies(replies, "days refund").map(({ name }) => name)).toEqual(["Money back"]);
});

it("the three canned replies that fit the visitor's message best come first, and the rest keep their order", () => {
  const replies = ["Address", "Delivery", "Opening hours", "Refund", "Returns"].map((name) => ({
    name,
    text: `An answer about ${name === "Returns" ? "a refund after a return" : "this"}.`,
  }));
  const fitting = findFitting(replies, "When do I get my refunds for the delivery?");
  expect(fitting.map(({ name }) => name)).toEqual(["Delivery", "Refund", "Returns"]);
  expect(filterReplies(replies, "", fitting).map(({ name }) => name)).toEqual([
    "Delivery",
    "Refund",
    "Returns",
    "Address",
    "Opening hours",
  ]);
});

it("no canned reply fits a message without words", () => {
  expect(findFitting([{ name: "Refund", text: "Soon." }], "?!")).toEqual([]);
});
