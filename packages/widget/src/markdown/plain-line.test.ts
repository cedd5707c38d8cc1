import { expect, it } from "vitest";
import { plainLine } from "./plain-line.ts";

it.each([
  ["You have **30 days** to return it.", "You have 30 days to return it."],
  ["## Our bikes", "Our bikes"],
  ["- `City One` and *Tourer*", "City One and Tourer"],
  ["See [prices](https://shop.example/prices) [1]", "See prices [1]"],
  ["Two **of the bikes th", "Two of the bikes th"],
  ["2 * 3 is snake_case", "2 * 3 is snake_case"],
])("shows %j as %j", (text, line) => {
  expect(plainLine(text)).toBe(line);
});
