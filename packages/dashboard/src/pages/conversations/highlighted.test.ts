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
])("highlights in %j the search %j", (text, query, parts) => {
  const marked = splitAtMatches(text, query).map(({ part, isMatch }) => (isMatch ? `[${part}]` : part));
  expect(marked).toEqual(parts);
});
