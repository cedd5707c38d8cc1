import { expect, it } from "vitest";
import { groupOf, toQuestion } from "./question-group.ts";

it("questions that differ only in order, case, punctuation, accents, inflection and articles form one group", () => {
  const group = groupOf("Do you repair old bikes?");
  expect(groupOf("Old bike: do you REPAIR?!")).toBe(group);
  expect(groupOf("Do you repair an old bike?")).toBe(group);
  expect(groupOf("Dó you repair  old bikes")).toBe(group);
  expect(groupOf("Repariert ihr alte Fahrräder?")).toBe(groupOf("repariert ihr altes fahrräder"));
  expect(groupOf("Вы ремонтируете велосипеды?")).toBe(groupOf("вы ремонтируете велосипед"));
  expect(groupOf("自転車を修理できますか")).toBe(groupOf("自転車を修理できますか？"));
});

it("questions with different words, or without words, form no group", () => {
  expect(groupOf("Do you rent bikes?")).not.toBe(groupOf("Do you sell bikes?"));
  expect(groupOf("?! 🚲")).toBeNull();
});

it("a question is recorded as the first 500 characters of the message on one line", () => {
  expect(toQuestion("  Are you\n\nopen? ")).toBe("Are you open?");
  expect(Array.from(toQuestion("🚲".repeat(2_000)))).toHaveLength(500);
});
