import { expect, it } from "vitest";
import { countByDay, firstDay, listLastDays } from "./trigger-days.ts";
import { describeAction, describeCondition, formatRate, type Trigger } from "./trigger-labels.ts";

const condition = (triggerType: Trigger["triggerType"], conditions: object) =>
  describeCondition({ triggerType, conditions: conditions as Record<string, unknown> });
const action = (actionType: Trigger["actionType"], actionConfig: object, form?: string | null) =>
  describeAction({ actionType, actionConfig: actionConfig as Record<string, unknown> }, form);

it("a trigger's condition and action are described in words", () => {
  expect(condition("time_on_page", { timeOnPage: 20 })).toBe("After 20\u00a0s on a page");
  expect(condition("time_on_page", { timeOnPage: 90 })).toBe("After 1\u00a0min 30\u00a0s on a page");
  expect(condition("scroll_depth", { scrollDepth: 50 })).toBe("After scrolling 50% of a page");
  expect(condition("page_view", { page: "/bikes/*" })).toBe("On /bikes/*");
  expect(condition("page_view", { page: "/**" })).toBe("On every page");
  expect(condition("custom_event", { event: "cart_updated", eventData: { total: { $gt: 500 }, vip: true } })).toBe(
    "On event cart_updated where total is over 500 and vip is true",
  );
  expect(action("show_bubble", { message: "Hello", duration: 10_000 })).toBe("Says “Hello” for 10\u00a0s");
  expect(action("open_chat", { message: "" })).toBe("Opens the chat");
  expect(action("show_form", { toolId: "t" }, "test_ride")).toBe("Shows the form “Test ride”");
  expect(action("show_form", { toolId: "t" }, null)).toBe("Shows a deleted form");
  expect([formatRate(0, 0), formatRate(1, 3), formatRate(1, 30)]).toEqual(["–", "33%", "3.3%"]);
});

it("a trigger's days without events are filled with zeros, in UTC", () => {
  const now = Date.parse("2026-03-02T23:30:00Z");
  expect(listLastDays(3, now)).toEqual(["2026-02-28", "2026-03-01", "2026-03-02"]);
  expect(firstDay(3, now)).toBe("2026-02-28");
  const days = [{ day: "2026-03-01", firedCount: 5, convertedCount: 2 }];
  expect(countByDay(listLastDays(2, now), { firedCount: 5, convertedCount: 2, days })).toEqual([
    { day: "2026-03-01", fired: 5, converted: 2 },
    { day: "2026-03-02", fired: 0, converted: 0 },
  ]);
});
