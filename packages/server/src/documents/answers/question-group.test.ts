import { expect, it } from "vitest";
import { groupOf, toQuestion } from "./question-group.ts";

it("groups questions that differ only in order, case, punctuation, accents, inflection and articles", () => {
  const group = groupOf("Do you repair old bikes?");
  expect(groupOf("Old bike: do you REPAIR?!")).toBe(group);
  expect(groupOf("Do you repair an old bike?")).toBe(group);
  expect(groupOf("Dó you repair  old bikes")).toBe(group);
  expect(groupOf("Repariert ihr alte Fahrräder?")).toBe(groupOf("repariert ihr altes fahrräder"));
  expect(groupOf("Вы ремонтируете велосипеды?")).toBe(groupOf("вы ремонтируете велосипед"));
  expect(groupOf("自転車を修理できますか")).toBe(groupOf("自転車を修理できますか？"));
});

it("does not group questions with different words or questions without words", () => {
  expect(groupOf("Do you rent bikes?")).not.toBe(groupOf("Do you sell bikes?"));
  expect(groupOf("?! 🚲")).toBeNull();
});

it("records the first 500 characters of a message on one line", () => {
  expect(toQuestion("  Are you\n\nopen? ")).toBe("Are you open?");
  expect(Array.from(toQuestion("🚲".repeat(2_000)))).toHaveLength(500);
});
