import { expect, it } from "vitest";
import { scrollDepth } from "./scroll-depth.ts";

const depth = (scrollTop: number, scrollHeight: number, clientHeight = 600) =>
  scrollDepth({ scrollTop, scrollHeight, clientHeight } as Element);

it.each([
  ["at the top", 0, 3_000, 0],
  ["half way", 1_199, 3_000, 50],
  ["at the end", 2_400, 3_000, 100],
  ["at the end of a zoomed page", 2_399.4, 3_000, 100],
  ["bounced over the end", 2_460, 3_000, 100],
  ["bounced over the top", -80, 3_000, 0],
  ["on a page that fits", 0, 600, 0],
  ["on a page that is shorter than its window", 0, 400, 0],
])("the scroll depth is measured: %s", (_name, top, height, expected) =>
  expect(depth(top, height)).toBeCloseTo(expected, 0),
);

it("the scroll depth is 0 without a scrolling element", () => expect(scrollDepth(null)).toBe(0));
