import { expect, it } from "vitest";
import { questionGroupKey, toQuestion } from "./question-group.ts";

it("questions that differ only in order, case, punctuation, accents, inflection and articles form one group", () => {
  const group = questionGroupKey("Do you repair old bikes?");
  expect(questionGroupKey("Old bike: do you REPAIR?!")).toBe(group);
  expect(questionGroupKey("Do you repair an old bike?")).toBe(group);
  expect(questionGroupKey("Dó you repair  old bikes")).toBe(group);
  expect(questionGroupKey("Repariert ihr alte Fahrräder?")).toBe(questionGroupKey("repariert ihr altes fahrräder"));
  expect(questionGroupKey("Вы ремонтируете велосипеды?")).toBe(questionGroupKey("вы ремонтируете велосипед"));
  expect(questionGroupKey("自転車を修理できますか")).toBe(questionGroupKey("自転車を修理できますか？"));
});

it("questions with different words, or without words, form no group", () => {
  expect(questionGroupKey("Do you rent bikes?")).not.toBe(questionGroupKey("Do you sell bikes?"));
  expect(questionGroupKey("?! 🚲")).toBeNull();
});

it("a question is recorded as the first 500 characters of the message on one line", () => {
  expect(toQuestion("  Are you\n\nopen? ")).toBe("Are you open?");
  expect(Array.from(toQuestion("🚲".repeat(2_000)))).toHaveLength(500);
});
