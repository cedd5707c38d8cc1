import { expect, it } from "vitest";
import { waitText } from "./waited.tsx";

it.each([
  [-4_000, "0 s"],
  [7_000, "5 s"],
  [59_999, "55 s"],
  [60_000, "1 min"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
  [93_600_000, "1 d 2 h"],
])("a wait of %i ms reads %s", (ms, text) => {
  expect(waitText(ms)).toBe(text);
});
