import type { ActionType, TriggerType } from "@foyer/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../errors.ts";
import { checkSettings, type TriggerSettings } from "./rules.ts";

const fine: TriggerSettings = {
  triggerType: "exit_intent",
  conditions: {},
  actionType: "open_chat",
  actionConfig: {},
};

/** The first problem's path and message, or null. */
function findProblem(settings: TriggerSettings) {
  try {
    checkSettings(settings);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe("VALIDATION_ERROR");
    return error.details?.[0] ?? null;
  }
}

describe("trigger conditions", () => {
  const longest = `/${"x".repeat(1_999)}`;
  it.each<[TriggerType, Record<string, unknown>]>([
    ["time_on_page", { timeOnPage: 0 }],
    ["time_on_page", { timeOnPage: 86_400 }],
    ["scroll_depth", { scrollDepth: 0 }],
    ["scroll_depth", { scrollDepth: 33.3 }],
    ["page_view", { page: "/" }],
    ["page_view", { page: longest }],
    ["custom_event", { event: "x".repeat(200) }],
    ["custom_event", { event: "e", eventData: {} }],
    ["custom_event", { event: "e", eventData: { a: { $in: [1, 2] }, "b.c": true } }],
  ])("for %s can be %j", (triggerType, conditions) => {
    expect(checkSettings({ ...fine, triggerType, conditions }).conditions).toEqual(conditions);
  });

  it.each<[TriggerType, Record<string, unknown>, string, RegExp]>([
    ["time_on_page", {}, "timeOnPage", /number of seconds from 0 to 86400/],
    ["time_on_page", { timeOnPage: "5" }, "timeOnPage", /number/],
    ["time_on_page", { timeOnPage: -1 }, "timeOnPage", /from 0/],
    ["time_on_page", { timeOnPage: 86_401 }, "timeOnPage", /to 86400/],
    ["time_on_page", { timeOnPage: Number.NaN }, "timeOnPage", /number/],
    ["scroll_depth", {}, "scrollDepth", /number of percent from 0 to 100/],
    ["scroll_depth", { scrollDepth: 100.1 }, "scrollDepth", /to 100/],
    ["scroll_depth", { scrollDepth: -0.1 }, "scrollDepth", /from 0/],
    ["page_view", {}, "page", /pattern such as/],
    ["page_view", { page: 5 }, "page", /pattern such as/],
    ["page_view", { page: "" }, "page", /\S/],
    ["page_view", { page: `${longest}xxx` }, "page", /\S/],
    ["custom_event", {}, "event", /name of the event/],
    ["custom_event", { event: " " }, "event", /name of the event/],
    ["custom_event", { event: "x".repeat(201) }, "event", /200/],
    ["custom_event", { event: "e", eventData: "x" }, "eventData", /\S/],
    ["custom_event", { event: "e", eventData: [] }, "eventData", /\S/],
    ["custom_event", { event: "e", eventData: { a: { $where: "1" } } }, "eventData", /\S/],
    ["custom_event", { event: "e", eventData: { a: { $gt: {} } } }, "eventData", /\S/],
  ])("for %s cannot be %j", (triggerType, conditions, field, message) => {
    const problem = findProblem({ ...fine, triggerType, conditions });
    expect(problem).toMatchObject({ path: `conditions.${field}`, message: expect.stringMatching(message) });
  });
});

describe("a trigger action", () => {
  it.each<[ActionType, Record<string, unknown>]>([
    ["open_chat", { message: "" }],
    ["open_chat", { message: "x".repeat(2_000) }],
    ["show_form", { toolId: "tool_x" }],
    ["show_bubble", { message: "x".repeat(1_000) }],
    ["show_bubble", { message: "x", duration: 0.1 }],
    ["show_bubble", { message: "x", duration: 86_400_000 }],
  ])("of type %s can have %j", (actionType, actionConfig) => {
    expect(checkSettings({ ...fine, actionType, actionConfig }).actionConfig).toEqual(actionConfig);
  });

  it.each<[ActionType, Record<string, unknown>, string, RegExp]>([
    ["open_chat", { message: 5 }, "message", /text for the chat/],
    ["open_chat", { message: "x".repeat(2_001) }, "message", /2000/],
    ["show_form", {}, "toolId", /id of a form tool/],
    ["show_form", { toolId: ["tool_x"] }, "toolId", /id of a form tool/],
    ["show_bubble", {}, "message", /text of the bubble/],
    ["show_bubble", { message: "\n" }, "message", /text of the bubble/],
    ["show_bubble", { message: "x".repeat(1_001) }, "message", /1000/],
    ["show_bubble", { message: "x", duration: 0 }, "duration", /milliseconds greater than 0/],
    ["show_bubble", { message: "x", duration: "5s" }, "duration", /milliseconds/],
    ["show_bubble", { message: "x", duration: 86_400_001 }, "duration", /at most 86400000/],
  ])("of type %s cannot have %j", (actionType, actionConfig, field, message) => {
    const problem = findProblem({ ...fine, actionType, actionConfig });
    expect(problem).toMatchObject({ path: `actionConfig.${field}`, message: expect.stringMatching(message) });
  });
});

it("problems of a trigger's conditions and of its action are reported together", () => {
  const settings: TriggerSettings = {
    triggerType: "page_view",
    conditions: {},
    actionType: "show_bubble",
    actionConfig: { message: "" },
  };
  const paths = ["conditions.page", "actionConfig.message"];
  expect(() => checkSettings(settings)).toThrow(
    expect.objectContaining({ details: paths.map((path) => expect.objectContaining({ path })) }),
  );
});

it("trigger settings are accepted or refused, and accepted settings are accepted again unchanged", () => {
  const types = fc.constantFrom<TriggerType[]>(
    "time_on_page",
    "scroll_depth",
    "exit_intent",
    "page_view",
    "custom_event",
  );
  const actions = fc.constantFrom<ActionType[]>("open_chat", "show_form", "show_bubble");
  const object = (...names: string[]) =>
    fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.jsonValue(), fc.constantFrom(5, "/a/**", "text")));
  fc.assert(
    fc.property(
      types,
      object("timeOnPage", "scrollDepth", "page", "event", "eventData", "other"),
      actions,
      object("message", "toolId", "duration", "other"),
      (triggerType, conditions, actionType, actionConfig) => {
        const settings = { triggerType, conditions, actionType, actionConfig } as TriggerSettings;
        if (findProblem(settings)) return;
        const taken = checkSettings(settings);
        expect(checkSettings({ ...settings, ...taken })).toEqual(taken);
        expect(Object.keys({ ...taken.conditions, ...taken.actionConfig })).not.toContain("other");
      },
    ),
  );
});
