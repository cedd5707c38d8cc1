import Type, { type Static, type TSchema } from "typebox";
import { maxScrollDepth } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { DAY_MS } from "../rules/time.ts";
import type { TriggerType } from "../rules/trigger-types.ts";
import { nullable, withDescription } from "../schema.ts";

export type { TriggerType } from "../rules/trigger-types.ts";

const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true });

/** The conditions of each trigger type. */
export const triggerConditions = {
  time_on_page: Type.Object({
    timeOnPage: Type.Number({
      minimum: 0,
      maximum: 86_400,
      description: "Seconds during which the page is visible, whether or not the visitor is active",
    }),
  }),
  scroll_depth: Type.Object({
    scrollDepth: Type.Number({ minimum: 0, maximum: maxScrollDepth, description: "Percentage of the page scrolled" }),
  }),
  exit_intent: Type.Unsafe<Record<string, never>>(
    Type.Object({}, { description: "No conditions: fires when the mouse leaves the viewport." }),
  ),
  page_view: Type.Object({
    page: Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: textPatterns.page,
      description: "Glob pattern of the path. `*` matches one segment, `**` any number: `/blog/**`.",
    }),
  }),
  custom_event: Type.Object({
    event: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: textPatterns.notBlank,
      description: "Name of the event",
    }),
    eventData: Type.Optional(
      nullable(
        Type.Unsafe<Record<string, unknown>>(
          withDescription(AnyObject, {
            description:
              "Conditions on the event's data. Values are compared for equality, or with `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$nin`, `$exists` and `$contains`. Dots lead into nested objects.",
          }),
        ),
      ),
    ),
  }),
} as const satisfies Record<TriggerType, TSchema>;

/** The configuration of each action. */
export const triggerActions = {
  open_chat: Type.Object({
    message: Type.Optional(
      nullable(Type.String({ maxLength: 2_000, description: "Text prefilled in the message box" })),
    ),
  }),
  show_form: Type.Object({
    toolId: Type.String({ minLength: 1, maxLength: 100, description: "Id of a form tool of the same agent" }),
  }),
  show_bubble: Type.Object({
    message: Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: textPatterns.notBlank,
      description: "Text of the bubble",
    }),
    duration: Type.Optional(
      nullable(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: DAY_MS,
          description: "Milliseconds until the bubble closes. Without it, the bubble stays until it is closed.",
        }),
      ),
    ),
  }),
} as const;
export type ActionType = keyof typeof triggerActions;

export const actionTypes = Object.keys(triggerActions) as ActionType[];

/** A trigger type with its conditions. */
export type TriggerRule = {
  [T in TriggerType]: { triggerType: T; conditions: Static<(typeof triggerConditions)[T]> };
}[TriggerType];

/** An action type with its configuration. */
export type TriggerAction = {
  [A in ActionType]: { actionType: A; actionConfig: Static<(typeof triggerActions)[A]> };
}[ActionType];

/** `schema` with the settings of each trigger and action type written out, for the OpenAPI document. */
export function withTypedSettings(schema: TSchema): object {
  const rule = Object.entries(triggerConditions).map(([type, conditions]) =>
    Type.Object({
      triggerType: Type.Literal(type, { description: "What the trigger waits for" }),
      conditions: { description: `Conditions of \`${type}\``, ...conditions },
    }),
  );
  const action = Object.entries(triggerActions).map(([type, actionConfig]) =>
    Type.Object({
      actionType: Type.Literal(type, { description: "What the widget does when the trigger fires" }),
      actionConfig: withDescription(actionConfig, { description: `Settings of \`${type}\`` }),
    }),
  );
  return { ...schema, allOf: [{ oneOf: rule }, { oneOf: action }] };
}
