import { expect, it } from "vitest";
import type { WatchedTrigger } from "../trigger-engine.ts";
import { describeTrigger, type PageFacts } from "./describe-trigger.ts";

const facts: PageFacts = {
  path: "/pricing",
  visible: 12_400,
  depth: 31.7,
  hasMouse: true,
  events: [],
  fits: () => false,
  isDone: false,
  hindrance: null,
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
  [watch("scroll_depth", { scrollDepth: 50 }), {}, "31 of 50 % so far"],
  [watch("scroll_depth", { scrollDepth: 50 }), { depth: null }, "the page fits its window, so it cannot be scrolled"],
  [watch("page_view", { page: "/bikes/*" }), {}, "this page is /pricing"],
  [watch("exit_intent", {}), { visible: 1_000 }, "ignored during the first 3 s"],
  [watch("exit_intent", {}), {}, "has not happened yet"],
  [watch("custom_event", { event: "cart" }), { events: [{ name: "other", data: {} }] }, "no such event so far"],
  [
    watch("custom_event", { event: "cart", eventData: { total: 5 } }),
    { events: [{ name: "cart", data: { total: 3 } }] },
    'cart {"total":3} does not fit',
  ],
  [
    watch("custom_event", { event: "cart" }),
    { events: [{ name: "cart", data: loop }], fits: () => true },
    "cart (data that cannot be shown) fits",
  ],
])("what there is: %#", (watched, more, has) => {
  expect(describeTrigger(watched, { ...facts, ...more }).has).toBe(has);
});

it.each([
  [time(), {}, "Not yet."],
  [time({ state: "due" }), { hindrance: "the chat is open" }, "Its condition is met. Waits: the chat is open."],
  [time({ state: "due" }), {}, "Its condition is met. Waits: for its turn."],
  [time({ state: "over" }), { isDone: true }, "Already fired in this session, and it fires once."],
  [
    time({ state: "over" }, { triggerOnce: false }),
    { isDone: true },
    "Its bubble was closed, so it stays away in this session.",
  ],
  [time({ state: "over", note: "fired" }), {}, "Fired on this page view."],
  [time({ state: "over", note: "failed" }), {}, "Its turn came, but it could not be shown."],
  [time({ state: "over", note: "chat open" }), {}, "Let go for this page view: the chat was open"],
  [watch("page_view", { page: "/bikes/*" }, { state: "over" }), {}, "Not on this page."],
])("how it stands: %#", (watched, more, stands) => {
  expect(describeTrigger(watched, { ...facts, ...more }).stands).toContain(stands);
});
