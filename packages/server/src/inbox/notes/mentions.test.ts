import { maxMentions } from "@foyer/contract";
import { expect, it } from "vitest";
import { findMentions } from "./mentions.ts";

const members = ["Ann", "Ann Lee", "Ben Okafor", "Ben Ziegler", "Mara Lind", "Zoë Chen", "ines@shop.example"].map(
  (name) => ({ userId: name, name }),
);

it.each([
  ["@Mara Lind, can you look?", ["Mara Lind"]],
  ["Please ask @mara.", ["Mara Lind"]],
  ["@Ann Lee knows", ["Ann Lee"]],
  ["@Ann knows", ["Ann"]],
  ["@Ben knows", []],
  ["(@Ben Okafor) and @Ben Ziegler", ["Ben Okafor", "Ben Ziegler"]],
  ["@zoë", ["Zoë Chen"]],
  ["@ines@shop.example", ["ines@shop.example"]],
  ["@Marathon", []],
  ["write to shop@mara.example", []],
  ["@Mara and @mara lind", ["Mara Lind"]],
  ["Mara", []],
])("%j mentions %j", (text, names) => {
  expect(findMentions(text, members).map(({ name }) => name)).toEqual(names);
});

it(`mentions at most ${maxMentions} members in a note`, () => {
  const many = Array.from({ length: maxMentions + 5 }, (_, at) => ({ userId: `user_${at}`, name: `Person${at}` }));
  const text = many.map(({ name }) => `@${name}`).join(" ");
  expect(findMentions(text, many)).toHaveLength(maxMentions);
});
