import { expect, it } from "vitest";
import type { WatchedTrigger } from "../trigger-engine.ts";
import { describeTrigger, type PageFacts } from "./describe-trigger.ts";

const facts: PageFacts = {
  path: "/pricing",
  visible: 12_400,
  depth: 31.7,
  hasMouse: true,
  events: [],
  matches: () => false,
  isDone: false,
  blocker: null,
};
const watch = (triggerType: string, conditions: object, more: Partial<WatchedTrigger> = {}, trigger = {}) =>
  ({
    trigger: { triggerType, conditions, actionType: "show_bubble", actionConfig: {}, triggerOnce: true, ...trigger },
    state: "watching",
    note: null,
    ...more,
  }) as unknown as WatchedTrigger;
const time = (more: Partial<WatchedTrigger> = {}, trigger = {}) =>
  watch("time_on_page", { timeOnPage: 20 }, more, trigger);
const loop: Record<string, unknown> = {};
loop.self = loop;

it.each([
  [time(), {}, "12 of 20 s visible"],
  [time(), { visible: 90_000 }, "20 of 20 s visible"],
  [watch("scroll_depth", { scrollDepth: 50 }), {}, "31% of 50%"],
  [watch("scroll_depth", { scrollDepth: 50 }), { depth: null }, "the page fits its window and cannot be scrolled"],
  [watch("page_view", { page: "/bikes/*" }), {}, "the page /pricing"],
  [watch("exit_intent", {}), { visible: 500 }, "ignored during the first 1 s"],
  [watch("exit_intent", {}), {}, "has not happened yet"],
  [watch("custom_event", { event: "cart" }), { events: [{ name: "other", data: {} }] }, "no such event yet"],
  [
    watch("custom_event", { event: "cart", eventData: { total: 5 } }),
    { events: [{ name: "cart", data: { total: 3 } }] },
    'cart {"total":3} does not match',
  ],
  [
    watch("custom_event", { event: "cart" }),
    { events: [{ name: "cart", data: loop }], matches: () => true },
    "cart (data that cannot be serialized) matches",
  ],
])("the debug overlay describes the current value of a trigger condition, case %#", (watched, more, expected) => {
  expect(describeTrigger(watched, { ...facts, ...more }).actual).toBe(expected);
});

it.each([
  [time(), {}, "Condition not met yet."],
  [time({ state: "due" }), { blocker: "the chat is open" }, "Condition met, but the chat is open."],
  [time({ state: "due" }), {}, "Condition met. Waiting for its turn."],
  [time({ state: "over" }), { isDone: true }, "Already fired. It fires once per session."],
  [
    time({ state: "over" }, { triggerOnce: false }),
    { isDone: true },
    "Closed by the visitor. It does not fire again in this session.",
  ],
  [time({ state: "over", note: "fired" }), {}, "Fired on this page view."],
  [time({ state: "over", note: "failed" }), {}, "Its action could not be shown."],
  [time({ state: "over", note: "chat open" }), {}, "Skipped for this page view because the chat was open"],
  [watch("page_view", { page: "/bikes/*" }, { state: "over" }), {}, "Does not apply to this page."],
])("the debug overlay describes the status of a trigger, case %#", (watched, more, expected) => {
  expect(describeTrigger(watched, { ...facts, ...more }).status).toContain(expected);
});
