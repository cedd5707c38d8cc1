import { expect, it } from "vitest";
import { formatDuration } from "./duration-text.ts";

it("formats durations with a readable precision", () => {
  expect([0, 849.6, 1_000, 1_449, 9_949, 12_400].map(formatDuration)).toEqual([
    "under 1 ms",
    "850 ms",
    "1.0 s",
    "1.4 s",
    "9.9 s",
    "12 s",
  ]);
});
