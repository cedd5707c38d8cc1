import { beforeEach, expect, it } from "vitest";
import { createEndTracker } from "./end-tracker.ts";

let tracker: ReturnType<typeof createEndTracker>;
const at = (scrollTop: number, scrollHeight = 1_000) => ({ scrollTop, scrollHeight, clientHeight: 400 });
beforeEach(() => {
  tracker = createEndTracker();
  tracker.follow(at(600));
});

it("a visitor follows the end until they scroll up, and again when they return to it", () => {
  tracker.onScroll(at(300));
  expect(tracker.isFollowing()).toBe(false);
  tracker.onScroll(at(400));
  expect(tracker.isFollowing()).toBe(false);
  tracker.onScroll(at(550));
  expect(tracker.isFollowing()).toBe(true);
});

it("a visitor still follows the end when content grew before the scroll event arrived", () => {
  tracker.onScroll(at(620, 2_000));
  expect(tracker.isFollowing()).toBe(true);
});

it("a scroll by the panel itself does not count as the visitor's, even if it goes up", () => {
  const topOfForm = at(200, 2_000);
  tracker.follow(topOfForm);
  tracker.onScroll(topOfForm);
  expect(tracker.isFollowing()).toBe(true);
});
