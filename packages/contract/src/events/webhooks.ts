import Type, { type Static } from "typebox";
import { DeliveryAttempt, deliveryStates } from "../forms/form-submission.ts";
import { maxIdleMinutes } from "../rules/limits.ts";
import { nullable, Pagination, ref, Success, stringEnum, Timestamp, withDescription } from "../schema.ts";
import { WebhookSecret } from "../tools/tool.ts";
import { webhookEventTypes } from "./events.ts";

export const maxWebhooks = 20;

const url = Type.String({ minLength: 1, maxLength: 2_000, description: "Where events are sent, as HTTP POST" });
const description = Type.String({ maxLength: 500, description: "What the webhook is for, shown in lists" });
const events = Type.Array(stringEnum([...webhookEventTypes, "*"]), {
  minItems: 1,
  maxItems: 20,
  description: 'Event types, or `["*"]` for all types, including those added later',
});
const agentIds = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: 100,
  description: "Only events of these agents. Empty: all agents.",
});
const payload = stringEnum(
  ["full", "ids"],
  "`ids` leaves out texts, tool calls, form values, names and email addresses. Defaults to `full`.",
);
const idleMinutes = Type.Integer({
  minimum: 1,
  maximum: maxIdleMinutes,
  description: "Minutes without a message until `conversation.idle` is sent. Defaults to 30.",
});

export const WebhookDeliverySummary = Type.Object({
  id: Type.String(),
  eventId: Type.String(),
  eventType: stringEnum(webhookEventTypes),
  state: stringEnum(deliveryStates),
  at: Timestamp,
  status: nullable(Type.Integer({ description: "The receiver's HTTP status at the last attempt" })),
  error: nullable(Type.String({ description: "Why the last attempt failed" })),
});

export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: withDescription(url, {
      description: "Where events are posted. Members without the admin role get only its origin.",
    }),
    description: nullable(description),
    events,
    agentIds,
    payload,
    idleMinutes,
    isEnabled: Type.Boolean(),
    disabledReason: nullable(
      Type.String({ description: "Why the server disabled the webhook. `null` if a member did, or it is enabled." }),
    ),
    lastDelivery: nullable(WebhookDeliverySummary),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: "Webhook", description: "A subscription to the organization's events" },
);
export type Webhook = Static<typeof Webhook>;

const settings = {
  description: Type.Optional(nullable(description)),
  agentIds: Type.Optional(agentIds),
  payload: Type.Optional(payload),
  idleMinutes: Type.Optional(idleMinutes),
  isEnabled: Type.Optional(Type.Boolean({ description: "Whether events are sent. Defaults to `true`." })),
};
export const WebhookCreate = Type.Object({ url, events, ...settings });
export type WebhookCreate = Static<typeof WebhookCreate>;

export const WebhookChanges = Type.Object(
  { url: Type.Optional(url), events: Type.Optional(events), ...settings },
  { description: "Omitted fields keep their values." },
);
export type WebhookChanges = Static<typeof WebhookChanges>;

export const WebhookDelivery = Type.Object({
  id: Type.String(),
  eventId: Type.String(),
  eventType: stringEnum(webhookEventTypes),
  agentId: nullable(Type.String()),
  conversationId: nullable(Type.String()),
  state: stringEnum(deliveryStates),
  createdAt: Timestamp,
  nextAttemptAt: nullable(Timestamp),
  attempts: Type.Array(DeliveryAttempt, {
    description:
      "The newest 20, oldest first. A list contains at most 4 MB of responses; beyond that, the responses of older deliveries are `null`. Request fewer deliveries to read them.",
  }),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookTest = Type.Object({
  isDelivered: Type.Boolean({ description: "Whether the receiver answered with 2xx" }),
  status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  detail: nullable(Type.String()),
  response: nullable(Type.String({ description: "The first 16 KB of the receiver's response" })),
  durationMs: Type.Integer(),
});
export type WebhookTest = Static<typeof WebhookTest>;

const tags = ["Webhooks"];
const config = { access: "account" } as const;
const webhookId = Type.String({ description: "Id of the webhook" });
const params = Type.Object({ id: webhookId });

export const listWebhooks = {
  method: "GET",
  url: "/webhooks",
  config,
  schema: { tags, summary: "List webhooks, oldest first", response: { 200: Type.Array(ref(Webhook)) } },
} as const;

export const createWebhook = {
  method: "POST",
  url: "/webhooks",
  config: { ...config, idempotent: true },
  schema: {
    tags,
    summary: "Create a webhook",
    description: `An organization can have ${maxWebhooks}. Events that happen after the response are sent to it. If several processes serve the API, the others start within two seconds.`,
    body: WebhookCreate,
    response: { 201: ref(Webhook) },
  },
} as const;

export const getWebhook = {
  method: "GET",
  url: "/webhooks/:id",
  config,
  schema: { tags, summary: "Read a webhook", params, response: { 200: ref(Webhook) } },
} as const;

export const updateWebhook = {
  method: "PATCH",
  url: "/webhooks/:id",
  config,
  schema: {
    tags,
    summary: "Update a webhook",
    params,
    body: WebhookChanges,
    response: { 200: ref(Webhook) },
  },
} as const;

export const deleteWebhook = {
  method: "DELETE",
  url: "/webhooks/:id",
  config,
  schema: { tags, summary: "Delete a webhook and its deliveries", params, response: { 200: Success } },
} as const;

export const getWebhookSigningSecret = {
  method: "GET",
  url: "/webhooks/:id/secret",
  config,
  schema: { tags, summary: "Read the signing secret of a webhook", params, response: { 200: WebhookSecret } },
} as const;

export const rotateWebhookSigningSecret = {
  method: "POST",
  url: "/webhooks/:id/secret/rotate",
  config,
  schema: {
    tags,
    summary: "Rotate the signing secret of a webhook. The old secret keeps signing for 24 hours.",
    params,
    response: { 200: WebhookSecret },
  },
} as const;

export const testWebhook = {
  method: "POST",
  url: "/webhooks/:id/test",
  config,
  schema: {
    tags,
    summary: "Send a sample event now and return the receiver's answer",
    params,
    body: Type.Object({ event: stringEnum(webhookEventTypes, "Type of the sample event") }),
    response: { 200: WebhookTest },
  },
} as const;

export const WebhookDeliveryQuery = Type.Object({
  status: Type.Optional(stringEnum(["pending", "delivered", "failed"], "Only deliveries in this state")),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 20. Values above 100 count as 100." })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description: "Deliveries to skip" })),
});
export type WebhookDeliveryQuery = Static<typeof WebhookDeliveryQuery>;

export const listWebhookDeliveries = {
  method: "GET",
  url: "/webhooks/:id/deliveries",
  config,
  schema: {
    tags,
    summary: "List the deliveries of a webhook, newest first",
    description: "Deliveries are kept for 30 days. `pagination.total` counts up to 10,000.",
    params,
    querystring: WebhookDeliveryQuery,
    response: { 200: Type.Object({ deliveries: Type.Array(WebhookDelivery), pagination: Pagination }) },
  },
} as const;

export const retryWebhookDelivery = {
  method: "POST",
  url: "/webhooks/:id/deliveries/:deliveryId/retry",
  config,
  schema: {
    tags,
    summary: "Send a delivery again now",
    description:
      "Also sends a delivered event again, with the same `webhook-id`. The response is 409 while the event is being sent or the webhook is disabled.",
    params: Type.Object({ id: webhookId, deliveryId: Type.String({ description: "Id of the delivery" }) }),
    response: { 200: WebhookDelivery },
  },
} as const;

export const retryWebhook = {
  method: "POST",
  url: "/webhooks/:id/retry",
  config,
  schema: {
    tags,
    summary: "Queue all failed deliveries of a webhook again",
    description: "The response is 409 while the webhook is disabled.",
    params,
    response: { 200: Type.Object({ retried: Type.Integer({ description: "Number of deliveries" }) }) },
  },
} as const;
