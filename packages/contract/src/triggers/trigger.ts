import Type, { type Static } from "typebox";
import { VisitorForm } from "../forms/form.ts";
import { maxPagePathLength } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { triggerTypes } from "../rules/trigger-types.ts";
import {
  idParams,
  nullable,
  ref,
  Success,
  stringEnum,
  Timestamp,
  withDescription,
  withDocumentation,
} from "../schema.ts";
import {
  actionTypes,
  type TriggerAction,
  type TriggerRule,
  type TriggerType,
  triggerActions,
  triggerConditions,
  withTypedSettings,
} from "./trigger-settings.ts";

const triggerTypeNames = Object.keys(triggerTypes) as TriggerType[];

const Settings = Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true });
const conditions = Type.Unsafe<Record<string, unknown>>(
  withDescription(Settings, { description: "When the trigger fires. The shape depends on `triggerType`." }),
);
const actionConfig = Type.Unsafe<Record<string, unknown>>(
  withDescription(Settings, { description: "What the action shows. The shape depends on `actionType`." }),
);

/** The settings that every trigger has. */
export const triggerFields = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: textPatterns.notBlank, description: "Display name" }),
  triggerType: stringEnum(triggerTypeNames, "What the trigger waits for"),
  conditions,
  actionType: stringEnum(actionTypes, "What the widget does when the trigger fires"),
  actionConfig,
};
const triggerOnce = Type.Boolean({ description: "Fire at most once per session. Defaults to true." });
const isEnabled = Type.Boolean({ description: "Whether the widget uses the trigger. Defaults to true." });
const priority = Type.Number({
  minimum: -1_000_000_000,
  maximum: 1_000_000_000,
  description: "Triggers with a lower priority run first. Defaults to 0.",
});
/** Settings that requests may omit. */
export const triggerOptions = {
  description: nullable(Type.String({ maxLength: 2_000, description: "Internal notes" })),
  triggerOnce: nullable(triggerOnce),
  isEnabled: nullable(isEnabled),
  priority: nullable(priority),
};

const TriggerFields = Type.Object({
  id: Type.String(),
  agentId: Type.String(),
  ...triggerFields,
  description: nullable(Type.String()),
  triggerOnce,
  isEnabled,
  priority,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Trigger = Static<typeof TriggerFields>;
export const Trigger = {
  ...withDocumentation<Trigger>(TriggerFields, withTypedSettings(TriggerFields)),
  $id: "Trigger",
};

const CreateFields = Type.Object({ ...triggerFields, ...Type.Partial(Type.Object(triggerOptions)).properties });
export type TriggerCreate = Omit<Static<typeof CreateFields>, keyof TriggerRule | keyof TriggerAction> &
  TriggerRule &
  TriggerAction;
export const TriggerCreate = withDocumentation<TriggerCreate>(CreateFields, {
  ...withTypedSettings(CreateFields),
  examples: [
    {
      name: "Greet on pricing",
      triggerType: "page_view",
      conditions: { page: "/pricing/**" },
      actionType: "show_bubble",
      actionConfig: { message: "Questions about plans?", duration: 8_000 },
    },
  ],
});

const ChangesFields = Type.Partial(Type.Object({ ...triggerFields, ...triggerOptions }), {
  examples: [{ isEnabled: false, priority: 10 }],
});
/** With `triggerType`, the conditions of that type; without it, those of any type. The same applies to the action. */
export type TriggerChanges = Omit<Static<typeof ChangesFields>, keyof TriggerRule | keyof TriggerAction> &
  PartOf<TriggerRule> &
  PartOf<TriggerAction>;
export const TriggerChanges = withDocumentation<TriggerChanges>(ChangesFields, {
  ...ChangesFields,
  properties: {
    ...ChangesFields.properties,
    conditions: {
      anyOf: Object.values(triggerConditions),
      description: "The conditions of the given or, without one, of the stored `triggerType`",
    },
    actionConfig: {
      anyOf: Object.values(triggerActions),
      description: "The configuration of the given or, without one, of the stored `actionType`",
    },
  },
});
/** Makes the properties of each member of a union optional. */
type PartOf<T> = T extends unknown ? Partial<T> : never;

/** The part of a trigger that visitors' pages receive. */
const WidgetFields = Type.Object({ id: Type.String(), ...triggerFields, triggerOnce, priority });
export type WidgetTrigger = Static<typeof WidgetFields>;
export const WidgetTrigger = withDocumentation<WidgetTrigger>(WidgetFields, withTypedSettings(WidgetFields));

const TemplateFields = Type.Object({ id: Type.String(), ...triggerFields, description: Type.String() });
export type TriggerTemplate = Omit<Static<typeof TemplateFields>, keyof TriggerRule | keyof TriggerAction> &
  TriggerRule &
  TriggerAction;
export const TriggerTemplate = withDocumentation<TriggerTemplate>(TemplateFields, withTypedSettings(TemplateFields));

const counts = { firedCount: Type.Integer(), convertedCount: Type.Integer() };

const TriggerCounts = Type.Object({
  ...counts,
  days: Type.Optional(
    Type.Array(Type.Object({ day: Type.String({ description: "The day in UTC, such as `2026-01-31`" }), ...counts }), {
      description: "Only with `groupBy=day`. Days with activity, oldest first.",
    }),
  ),
});
export type TriggerCounts = Static<typeof TriggerCounts>;

export const TriggerEvent = Type.Object({
  agentId: Type.String({ minLength: 1, description: "Id of the agent" }),
  triggerId: Type.Optional(
    nullable(
      Type.String({ maxLength: 100, description: "Id of the trigger. Without it, the trigger is found by its name." }),
    ),
  ),
  triggerName: Type.String({ minLength: 1, maxLength: 200, description: "Name of the trigger" }),
  triggerType: stringEnum(triggerTypeNames, "Type of the trigger"),
  actionType: stringEnum(actionTypes, "Action of the trigger"),
  eventType: stringEnum(
    ["fired", "converted"],
    "`fired` when the action ran, `converted` when the visitor engaged with it",
  ),
  sessionId: Type.Optional(
    nullable(Type.String({ maxLength: 200, description: "Id of the visitor's session, as in `POST /chat`" })),
  ),
  pagePath: Type.Optional(
    nullable(Type.String({ maxLength: maxPagePathLength, description: "Path of the page, such as `/pricing`" })),
  ),
});
export type TriggerEvent = Static<typeof TriggerEvent>;

const agentId = Type.String({ minLength: 1, description: "Id of the agent" });
const day = (description: string) => Type.Optional(Type.String({ format: "date-or-date-time", description }));

export const TriggerStatsQuery = Type.Object({
  agentId: Type.Optional(
    withDescription(agentId, { description: "Id of the agent. Without it, triggers of all agents are counted." }),
  ),
  from: day("First day of the range, in UTC"),
  to: day("Last day of the range, in UTC, included as a whole"),
  groupBy: Type.Optional(stringEnum(["day"], "Adds `days` to each trigger")),
});
export type TriggerStatsQuery = Static<typeof TriggerStatsQuery>;

const tags = ["Triggers"];
const params = idParams("trigger");
const account = { access: "account" } as const;
const visitor = { access: "public", crossOrigin: true } as const;

export const listTriggers = {
  method: "GET",
  url: "/triggers",
  config: account,
  schema: {
    tags,
    summary: "List an agent's triggers in the order they run",
    querystring: Type.Object({ agentId }),
    response: { 200: Type.Array(ref(Trigger)) },
  },
} as const;

export const getTrigger = {
  method: "GET",
  url: "/triggers/:id",
  config: account,
  schema: { tags, summary: "Read a trigger", params, response: { 200: ref(Trigger) } },
} as const;

export const getTriggerStats = {
  method: "GET",
  url: "/triggers/stats",
  config: account,
  schema: {
    tags,
    summary: "Read how often each trigger fired and converted, by trigger id",
    querystring: TriggerStatsQuery,
    response: {
      200: Type.Unsafe<Record<string, TriggerCounts>>({ type: "object", additionalProperties: TriggerCounts }),
    },
  },
} as const;

export const listTriggerTemplates = {
  method: "GET",
  url: "/triggers/templates",
  config: account,
  schema: {
    tags,
    summary: "List trigger templates. Each can be sent to `POST /triggers` unchanged.",
    querystring: Type.Object({
      agentId: Type.Optional(
        withDescription(agentId, { description: "Id of the agent. Adds templates that show its first form." }),
      ),
    }),
    response: { 200: Type.Array(TriggerTemplate) },
  },
} as const;

export const createTrigger = {
  method: "POST",
  url: "/triggers",
  config: { ...account, idempotent: true },
  schema: {
    tags,
    summary: "Create a trigger",
    querystring: Type.Object({
      agentId: withDescription(agentId, { description: "Id of the agent. It can also be sent in the body." }),
    }),
    body: TriggerCreate,
    response: { 201: ref(Trigger) },
  },
} as const;

export const updateTrigger = {
  method: "PUT",
  url: "/triggers/:id",
  config: account,
  schema: {
    tags,
    summary: "Update a trigger",
    params,
    body: TriggerChanges,
    response: { 200: ref(Trigger) },
  },
} as const;

export const duplicateTrigger = {
  method: "POST",
  url: "/triggers/:id/duplicate",
  config: account,
  schema: {
    tags,
    summary: "Create a disabled copy of a trigger",
    params,
    response: { 201: ref(Trigger) },
  },
} as const;

export const deleteTrigger = {
  method: "DELETE",
  url: "/triggers/:id",
  config: account,
  schema: { tags, summary: "Delete a trigger and its statistics", params, response: { 200: Success } },
} as const;

export const toggleTrigger = {
  method: "POST",
  url: "/triggers/:id/toggle",
  config: account,
  schema: {
    tags,
    summary: "Enable or disable a trigger",
    params,
    response: { 200: ref(Trigger) },
  },
} as const;

export const listWidgetTriggers = {
  method: "GET",
  url: "/triggers/widget/:agentId",
  config: visitor,
  schema: {
    tags,
    summary: "List an agent's enabled triggers in the order they run",
    params: Type.Object({ agentId: Type.String({ description: "Id of the agent" }) }),
    response: {
      200: Type.Array(WidgetTrigger),
      304: Type.Unsafe<undefined>({ description: "Not modified since the version in `If-None-Match`" }),
    },
  },
} as const;

export const recordTriggerEvent = {
  method: "POST",
  url: "/triggers/event",
  config: { ...visitor, idempotent: true },
  schema: {
    tags,
    summary: "Record that a trigger fired or converted",
    description:
      "A conversion with a `sessionId` counts only after the trigger fired in that session, once per firing. Without a `sessionId`, every conversion counts.",
    body: TriggerEvent,
    response: {
      200: Type.Object({
        success: Type.Literal(true),
        recorded: Type.Boolean({
          description:
            "Whether the statistics of a trigger include the event. `false` for an unknown trigger, and for a conversion without a firing.",
        }),
      }),
    },
  },
} as const;

export const getVisitorForm = {
  method: "GET",
  url: "/triggers/form/:toolIdOrName",
  config: { access: "visitor", crossOrigin: true },
  schema: {
    tags,
    summary: "Read a form by the id or name of its tool",
    description:
      "A name is looked up among the forms of `agentId`. Without it, the response is the oldest enabled form with that name: of the key's organization, or, without a key, of an agent that the page's origin may use.",
    params: Type.Object({ toolIdOrName: Type.String({ description: "Id or name of the form tool" }) }),
    querystring: Type.Object({
      agentId: Type.Optional(Type.String({ description: "Id of the agent. Names are unique only within an agent." })),
    }),
    response: { 200: VisitorForm },
  },
} as const;
