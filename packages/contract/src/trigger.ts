import Type, { type Static } from "typebox";
import { VisitorForm } from "./form.ts";
import { nullable, oneOf, ref, Success, Timestamp } from "./schema.ts";

export const triggerTypes = ["time_on_page", "scroll_depth", "exit_intent", "page_view", "custom_event"] as const;
export type TriggerType = (typeof triggerTypes)[number];

export const actionTypes = ["open_chat", "show_form", "show_bubble"] as const;
export type ActionType = (typeof actionTypes)[number];

const Settings = Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true });

const conditions = Type.Unsafe<Record<string, unknown>>({
  ...Settings,
  description:
    "`time_on_page`: `{timeOnPage}` in seconds; `scroll_depth`: `{scrollDepth}` in percent; `exit_intent`: `{}`; `page_view`: `{page}`, a glob; `custom_event`: `{event, eventData?}`",
});
const actionConfig = Type.Unsafe<Record<string, unknown>>({
  ...Settings,
  description:
    "`open_chat`: `{message?}`; `show_form`: `{toolId}`; `show_bubble`: `{message, duration?}`, in milliseconds, without it until closed",
});

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: "\\S" }),
  triggerType: oneOf(triggerTypes),
  conditions,
  actionType: oneOf(actionTypes),
  actionConfig,
};
const optionalFields = {
  description: nullable(Type.String({ maxLength: 2_000 })),
  triggerOnce: nullable(Type.Boolean({ description: "Once a session; the default" })),
  isEnabled: nullable(Type.Boolean()),
  priority: nullable(
    Type.Number({ minimum: -1_000_000_000, maximum: 1_000_000_000, description: "Lower runs first; default 0" }),
  ),
};

export const Trigger = Type.Object(
  {
    ...{ id: Type.String(), agentId: Type.String(), name: Type.String(), description: nullable(Type.String()) },
    ...{ triggerType: oneOf(triggerTypes), conditions: Settings },
    ...{ actionType: oneOf(actionTypes), actionConfig: Settings },
    ...{ triggerOnce: Type.Boolean(), isEnabled: Type.Boolean(), priority: Type.Number() },
    ...{ createdAt: Timestamp, updatedAt: Timestamp },
  },
  { $id: "Trigger" },
);
export type Trigger = Static<typeof Trigger>;

export const TriggerCreate = Type.Object({ ...fields, ...Type.Partial(Type.Object(optionalFields)).properties });
export type TriggerCreate = Static<typeof TriggerCreate>;

export const TriggerChanges = Type.Partial(Type.Object({ ...fields, ...optionalFields }));
export type TriggerChanges = Static<typeof TriggerChanges>;

/** What the page of a visitor gets to know of a trigger. */
export const WidgetTrigger = Type.Object({
  ...{ id: Type.String(), name: Type.String() },
  ...{ triggerType: oneOf(triggerTypes), conditions: Settings },
  ...{ actionType: oneOf(actionTypes), actionConfig: Settings },
  ...{ triggerOnce: Type.Boolean(), priority: Type.Number() },
});
export type WidgetTrigger = Static<typeof WidgetTrigger>;

export const TriggerTemplate = Type.Object({
  ...{ id: Type.String(), name: Type.String(), description: Type.String() },
  ...{ triggerType: oneOf(triggerTypes), conditions: Settings },
  ...{ actionType: oneOf(actionTypes), actionConfig: Settings },
});
export type TriggerTemplate = Static<typeof TriggerTemplate>;

const counts = { firedCount: Type.Integer(), convertedCount: Type.Integer() };

const TriggerCounts = Type.Object({
  ...counts,
  days: Type.Optional(
    Type.Array(Type.Object({ day: Type.String({ description: "`2026-01-31`, in UTC" }), ...counts }), {
      description: "With `groupBy=day`: the days on which there was something to count, oldest first",
    }),
  ),
});
export type TriggerCounts = Static<typeof TriggerCounts>;

export const TriggerEvent = Type.Object({
  agentId: Type.String({ minLength: 1 }),
  triggerId: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
  triggerName: Type.String({ minLength: 1, maxLength: 200 }),
  triggerType: oneOf(triggerTypes),
  actionType: oneOf(actionTypes),
  eventType: oneOf(["fired", "converted"]),
  sessionId: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
  pagePath: Type.Optional(nullable(Type.String({ maxLength: 2_000 }))),
});
export type TriggerEvent = Static<typeof TriggerEvent>;

const agentId = Type.String({ minLength: 1 });
const day = (description: string) => Type.Optional(Type.String({ format: "date-or-date-time", description }));

export const TriggerStatsQuery = Type.Object({
  agentId: Type.Optional(agentId),
  from: day("First day, in UTC"),
  to: day("Last day, in UTC; it counts whole"),
  groupBy: Type.Optional(oneOf(["day"])),
});
export type TriggerStatsQuery = Static<typeof TriggerStatsQuery>;

const tags = ["Triggers"];
const params = Type.Object({ id: Type.String() });
const account = { access: "account" } as const;
const visitor = { access: "public", crossOrigin: true } as const;

export const listTriggers = {
  method: "GET",
  url: "/triggers",
  config: account,
  schema: {
    tags,
    summary: "List an agent's triggers in the order in which they run",
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
    summary: "How often each trigger fired and converted, by its id; of one agent, or of all",
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
    summary: "Triggers to begin with; each can be posted as it is",
    querystring: Type.Object({ agentId: Type.Optional(agentId) }),
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
    querystring: Type.Object({ agentId }),
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
    summary: "Change the given fields of a trigger",
    params,
    body: TriggerChanges,
    response: { 200: ref(Trigger) },
  },
} as const;

export const deleteTrigger = {
  method: "DELETE",
  url: "/triggers/:id",
  config: account,
  schema: { tags, summary: "Delete a trigger with its statistics", params, response: { 200: Success } },
} as const;

export const toggleTrigger = {
  method: "POST",
  url: "/triggers/:id/toggle",
  config: account,
  schema: {
    tags,
    summary: "Enable a disabled trigger, disable an enabled one",
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
    summary: "The enabled triggers of an agent, in the order in which they run",
    params: Type.Object({ agentId: Type.String() }),
    response: {
      200: Type.Array(WidgetTrigger),
      304: Type.Unsafe<undefined>({ description: "As `If-None-Match` has it already" }),
    },
  },
} as const;

export const recordTriggerEvent = {
  method: "POST",
  url: "/triggers/event",
  config: { ...visitor, idempotent: true },
  schema: {
    tags,
    summary: "Record that a trigger fired, or that the visitor engaged after it",
    body: TriggerEvent,
    response: { 200: Success },
  },
} as const;

export const getVisitorForm = {
  method: "GET",
  url: "/triggers/form/:toolIdOrName",
  config: visitor,
  schema: {
    tags,
    summary: "The form of a tool, by its id or its name",
    params: Type.Object({ toolIdOrName: Type.String() }),
    querystring: Type.Object({
      agentId: Type.Optional(Type.String({ description: "Whose tool it is; names are unique within an agent only" })),
    }),
    response: { 200: VisitorForm },
  },
} as const;
