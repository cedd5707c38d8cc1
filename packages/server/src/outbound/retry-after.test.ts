import { expect, it } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const now = Date.parse("2026-01-31T09:30:00Z");

it.each([
  ["120", 120_000],
  [" 0 ", 0],
  ["0.5", 500],
  ["Sat, 31 Jan 2026 09:31:00 GMT", 60_000],
  ["Sat, 31 Jan 2026 09:29:00 GMT", 0],
  ["", null],
  ["soon", null],
  ["-5 s", null],
  [undefined, null],
])("parseRetryAfter reads %j as %j milliseconds", (header, expected) => {
  expect(parseRetryAfter(header, now)).toBe(expected);
});
