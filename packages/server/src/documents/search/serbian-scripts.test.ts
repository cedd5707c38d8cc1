import { expect, it } from "vitest";
import { serbianForms } from "./serbian-scripts.ts";

it.each(["lj", "nj", "dj", "dž", "dz"])(
  "serbianForms reads a word of many pairs %s and a foreign letter at once",
  (pair) => {
    const word = `${pair.repeat(100)}q`;
    expect(serbianForms(word, ["ru"])).toEqual(pair === "dj" ? [word.replaceAll("dj", "đ")] : []);
  },
);

it.each([
  ["ljubav", "љубав"],
  ["džep", "џеп"],
  ["nacin", "начин"],
])("serbianForms finds %s as %s", (latin, cyrillic) => {
  expect(serbianForms(latin, ["ru"])).toContain(cyrillic);
});
