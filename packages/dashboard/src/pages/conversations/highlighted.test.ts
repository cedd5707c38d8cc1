import { expect, it } from "vitest";
import { splitAtMatches } from "./highlighted.tsx";

it.each([
  ["Is the City One in stock?", "city", ["Is the ", "[City]", " One in stock?"]],
  ["bike, bike", "BIKE", ["[bike]", ", ", "[bike]"]],
  ["aaa", "aa", ["[aa]", "a"]],
  ["Nothing here", "x", ["Nothing here"]],
  ["Nothing asked", " ", ["Nothing asked"]],
  ["<b> (.*)", "(.*)", ["<b> ", "[(.*)]"]],
  ["İstanbul", "bul", ["İstanbul"]],
])("the text %j is split at the matches of %j", (text, query, parts) => {
  const marked = splitAtMatches(text, query).map(({ part, isMatch }) => (isMatch ? `[${part}]` : part));
  expect(marked).toEqual(parts);
});
