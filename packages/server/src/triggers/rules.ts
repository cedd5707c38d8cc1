import type { ActionType, Trigger, TriggerType } from "@foyer/contract";
import { findEventDataProblem } from "@foyer/contract/rules/match-event";
import { pagePatternProblem } from "@foyer/contract/rules/match-page";
import { DAY_MS } from "@foyer/contract/rules/time";
import { checkAll, invalid } from "../errors.ts";

type Given = Record<string, unknown>;
export type TriggerSettings = Pick<Trigger, "triggerType" | "conditions" | "actionType" | "actionConfig">;

const DAY_S = 86_400;

/**
 * The conditions and the action's settings, reduced to the fields that their types have. `null` counts as not given.
 * Settings whose type is unknown are not checked.
 * @throws AppError 400 with the path of a problem in each of the two
 */
export function checkSettings({
  triggerType,
  conditions,
  actionType,
  actionConfig,
}: Partial<TriggerSettings>): Pick<TriggerSettings, "conditions" | "actionConfig"> {
  const checked = { conditions: {}, actionConfig: {} };
  checkAll([
    () => {
      if (triggerType && conditions) checked.conditions = withoutAbsent(conditionRules[triggerType](conditions));
    },
    () => {
      if (actionType && actionConfig) checked.actionConfig = withoutAbsent(actionRules[actionType](actionConfig));
    },
  ]);
  return checked;
}

const conditionRules: Record<TriggerType, (given: Given) => Given> = {
  time_on_page: ({ timeOnPage }) => ({
    timeOnPage: checkNumber("conditions.timeOnPage", timeOnPage, { range: [0, DAY_S], unit: "of seconds" }),
  }),
  scroll_depth: ({ scrollDepth }) => ({
    scrollDepth: checkNumber("conditions.scrollDepth", scrollDepth, { range: [0, 100], unit: "of percent" }),
  }),
  exit_intent: () => ({}),
  page_view: ({ page }) => ({ page: pagePattern(page) }),
  custom_event: ({ event, eventData }) => ({
    event: checkText("conditions.event", event, { maxLength: 200, what: "the name of the event" }),
    eventData: checkEventData(eventData),
  }),
};

const actionRules: Record<ActionType, (given: Given) => Given> = {
  open_chat: ({ message }) => ({ message: isAbsent(message) ? null : checkChatMessage(message) }),
  show_form: ({ toolId }) => ({
    toolId: checkText("actionConfig.toolId", toolId, { maxLength: 100, what: "the id of a form tool" }),
  }),
  show_bubble: ({ message, duration }) => ({
    message: checkText("actionConfig.message", message, { maxLength: 1_000, what: "the text of the bubble" }),
    duration: isAbsent(duration) ? null : checkBubbleDuration(duration),
  }),
};

function pagePattern(page: unknown) {
  if (typeof page !== "string")
    throw invalid("conditions.page", "must be a page pattern such as /pricing or /blog/**", "type");
  const problem = pagePatternProblem(page);
  if (problem) throw invalid("conditions.page", problem, "pattern");
  return page;
}

function checkEventData(eventData: unknown) {
  const problem = findEventDataProblem(eventData);
  if (problem) throw invalid("conditions.eventData", problem);
  return eventData;
}

/** An empty message counts as none. */
function checkChatMessage(message: unknown) {
  if (typeof message === "string" && message.length <= 2_000) return message;
  throw invalid("actionConfig.message", "must be the text for the chat, at most 2000 characters");
}

function checkBubbleDuration(duration: unknown) {
  if (typeof duration === "number" && duration > 0 && duration <= DAY_MS) return duration;
  throw invalid(
    "actionConfig.duration",
    `must be a number of milliseconds greater than 0 and at most ${DAY_MS}; without it the bubble stays until it is closed`,
  );
}

function checkNumber(
  path: string,
  value: unknown,
  { range: [minimum, maximum], unit }: { range: [number, number]; unit: string },
) {
  if (typeof value === "number" && value >= minimum && value <= maximum) return value;
  throw invalid(
    path,
    `must be a number ${unit} from ${minimum} to ${maximum}`,
    typeof value === "number" ? (value < minimum ? "min" : "max") : "type",
  );
}

function checkText(path: string, value: unknown, { maxLength, what }: { maxLength: number; what: string }) {
  if (typeof value === "string" && value.trim() !== "" && value.length <= maxLength) return value;
  throw invalid(path, `must be ${what}, at most ${maxLength} characters`);
}

const isAbsent = (value: unknown) => value === undefined || value === null;

function withoutAbsent(fields: Given): Given {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isAbsent(value)));
}
