import { expect, it } from "vitest";
import { fuse } from "./fuse.ts";

const order = (words: number[], meaning: number[]) =>
  fuse(words, meaning, (item) => item).map(({ item, matchedBy }) => [item, matchedBy]);

it("fuse ranks passages of both lists before those of only one", () => {
  expect(order([1, 2], [3, 2])).toEqual([
    [2, "both"],
    [1, "words"],
    [3, "meaning"],
  ]);
});

it("fuse keeps the order of the words where the lists disagree evenly", () => {
  expect(order([1, 2], [2, 1]).map(([item]) => item)).toEqual([1, 2]);
});

it("fuse returns one list when the other is empty", () => {
  expect(order([2, 1], [])).toEqual([
    [2, "words"],
    [1, "words"],
  ]);
  expect(order([], [2, 1])).toEqual([
    [2, "meaning"],
    [1, "meaning"],
  ]);
});

it("fuse gives scores between 0 and 1, and 1 to a passage that is first in both lists", () => {
  const scores = fuse([1, 2], [1, 3], (item) => item).map(({ score }) => score);
  expect(scores[0]).toBe(1);
  expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
});
