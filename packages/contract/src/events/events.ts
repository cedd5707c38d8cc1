import Type, { type Static, type TProperties, type TSchema } from "typebox";
import { EventAttachment } from "../attachments/attachments.ts";
import { conversationStatuses } from "../conversations/conversation.ts";
import { handlers, handoffCauses } from "../handoff/handoff.ts";
import { type WebhookEventType, webhookEventDescriptions, webhookEventTypes } from "../rules/webhook-events.ts";
import { nullable, ref, stringEnum, Timestamp, withDescription } from "../schema.ts";

export { type WebhookEventType, webhookEventTypes } from "../rules/webhook-events.ts";

/** The conversations, and the submissions, that one `visitor.erased` lists. */
export const maxErasedIds = 1_000;

/** A field that is left out for a webhook with the payload `ids`. */
const content = <T extends TSchema>(schema: T) => Type.Optional(schema);

const messageId = Type.String({ description: "The message" });
/** Replaces the text of a message that is too large to be repeated in events. */
const contentRef = Type.Optional(
  Type.Object(
    {
      url: Type.String({ description: "Path of the API at which the conversation with the message can be read" }),
      bytes: Type.Integer({ description: "Size of the text in UTF-8" }),
    },
    { description: "Sent instead of `content` when the text is larger than 16 KB" },
  ),
);
const Message = Type.Object({
  id: Type.String(),
  role: stringEnum(["user", "assistant"]),
  content: Type.Optional(Type.String()),
  contentRef,
  isSupplied: Type.Optional(
    Type.Boolean({ description: "`true` if a client sent it in the agent's name. The agent did not write it." }),
  ),
  createdAt: Timestamp,
});
const ToolCall = Type.Object({
  id: Type.String(),
  name: Type.String(),
  input: Type.Unsafe<unknown>({ description: "What the model passed to the tool" }),
  result: nullable(Type.String({ description: "What the model received. `null` if the tool did not answer." })),
  isError: Type.Boolean(),
});

const handoffEventChanges = ["requested", "taken", "returned", "closed", "cancelled"] as const;

/** The `data` of each event. Optional fields are left out with the payload `ids`. */
const dataOf = {
  "conversation.started": {
    title: content(Type.String()),
    sessionId: nullable(Type.String()),
    userId: nullable(Type.String()),
    userEmail: content(nullable(Type.String())),
    userName: content(nullable(Type.String())),
    isUserVerified: Type.Boolean({ description: "Whether `userHash` proved `userId`" }),
    isTest: Type.Boolean({ description: "A member of the organization started it, for example in the playground" }),
  },
  "message.created": {
    messageId,
    content: content(Type.String()),
    contentRef,
    attachments: content(
      Type.Array(ref(EventAttachment), { description: "Left out for a message without pictures and files" }),
    ),
  },
  "reply.finished": {
    messageId,
    content: content(Type.String()),
    contentRef,
    toolCalls: content(Type.Array(ToolCall)),
    stopReason: Type.String({
      description: "`end_turn`, `max_steps`, `max_tokens`, `content_filter`, or `aborted` when the reply was stopped",
    }),
    model: nullable(Type.String()),
    inputTokens: nullable(Type.Integer()),
    outputTokens: nullable(Type.Integer()),
    durationMs: Type.Integer({ description: "From the visitor's message to the end of the reply" }),
  },
  "reply.failed": {
    messageId,
    content: content(Type.String({ description: "The text before the failure" })),
    contentRef,
    code: Type.String(),
    message: Type.String({ description: "What went wrong, for the organization's members" }),
    model: nullable(Type.String()),
    durationMs: Type.Integer(),
  },
  "message.rated": {
    messageId,
    rating: stringEnum(["up", "down"]),
    comment: content(nullable(Type.String())),
  },
  "conversation.rated": {
    score: Type.Integer({ minimum: 1, maximum: 5, description: "From 1, very bad, to 5, very good" }),
    comment: content(nullable(Type.String())),
    memberId: nullable(
      Type.String({
        description: "User id of the member who took the last request for a person. `null` if only the agent answered.",
      }),
    ),
    isCorrection: Type.Boolean({ description: "Whether the rating replaces an earlier one of the same conversation" }),
  },
  "conversation.idle": {
    idleMinutes: Type.Integer(),
    lastMessageAt: Timestamp,
    messageCount: Type.Integer(),
    isTruncated: Type.Boolean({
      description: "Whether the oldest messages are missing because the transcript is larger than 4 MB",
    }),
    messages: content(Type.Array(Message, { description: "The transcript, oldest first" })),
  },
  "conversation.handed_over": {
    change: stringEnum(
      handoffEventChanges,
      "`requested`: the visitor waits for a person. `taken`: a member has the conversation. `returned` and `closed`: a member gave it back to the agent. `cancelled`: the visitor stopped waiting.",
    ),
    handler: stringEnum(handlers, "Who handles the conversation now"),
    epoch: Type.Integer({ description: "Rises with each change" }),
    assigneeId: nullable(Type.String({ description: "User id of the member who has the conversation now" })),
    memberId: nullable(
      Type.String({ description: "User id of the member who made the change. `null` if no member did." }),
    ),
    cause: stringEnum(handoffCauses, "What caused the request; `member` if a member took over without one"),
    reason: content(nullable(Type.String({ description: "Why a person is needed" }))),
    summary: content(nullable(Type.String({ description: "The agent's summary for the team" }))),
    promisedAt: nullable(withDescription(Timestamp, { description: "The time by which an answer is promised" })),
  },
  "conversation.status_changed": {
    status: stringEnum(conversationStatuses, "The status now"),
    snoozedUntil: nullable(withDescription(Timestamp, { description: "When a snoozed conversation opens again" })),
    memberId: nullable(
      Type.String({ description: "User id of the member who changed it. `null` for an API key or if nobody did." }),
    ),
    isAutomatic: Type.Boolean({
      description: "Whether it followed from something else: a message, silence, or the end of the snooze",
    }),
  },
  "form.submitted": {
    submissionId: Type.String(),
    toolId: Type.String(),
    toolName: Type.String(),
    formData: content(
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "Field name to value. Files are `null`; download them with `GET /form-submissions/:id`.",
      }),
    ),
  },
  "form.delivery_failed": {
    submissionId: Type.String(),
    toolId: Type.String(),
    deliveryId: Type.String(),
    host: Type.String({ description: "The receiver's host, or `mail`" }),
    status: nullable(Type.Integer({ description: "The receiver's last HTTP status" })),
    error: Type.String({ description: "Why the last attempt failed" }),
  },
  "agent.budget_reached": {
    month: Type.String({ description: "The month in UTC, such as `2026-01`" }),
    monthlyTokenBudget: Type.Integer(),
    tokens: Type.Integer({ description: "Tokens used this month" }),
  },
  "visitor.erased": {
    erasureId: Type.String(),
    erasedAt: Timestamp,
    identifierHash: Type.String({ description: "Keyed hash of the identifier, as in the receipt" }),
    counts: Type.Unsafe<Record<string, number>>({
      type: "object",
      additionalProperties: { type: "integer" },
      description: "Erased rows per kind",
    }),
    conversationIds: Type.Array(Type.String(), {
      maxItems: maxErasedIds,
      description: `The erased conversations, at most ${maxErasedIds.toLocaleString("en")}. Delete what you received about them.`,
    }),
    submissionIds: Type.Array(Type.String(), {
      maxItems: maxErasedIds,
      description: `The erased form submissions, at most ${maxErasedIds.toLocaleString("en")}. Delete what you received about them.`,
    }),
  },
} satisfies Record<WebhookEventType, TProperties>;

type DataSchemas = typeof dataOf;
/** The data of an event of each type. */
export type WebhookEventData = { [T in WebhookEventType]: Static<Type.TObject<DataSchemas[T]>> };

function eventSchema<T extends WebhookEventType>(type: T, $id: string) {
  return Type.Object(
    {
      id: Type.String({ description: "Also in `webhook-id`. It stays the same when the event is sent again." }),
      type: stringEnum([type]),
      createdAt: Timestamp,
      organizationId: Type.String(),
      agentId: nullable(Type.String()),
      conversationId: nullable(Type.String()),
      sequence: nullable(
        Type.Integer({ description: "1, 2, 3, … within the conversation. `null` for an event without one." }),
      ),
      data: Type.Object(dataOf[type] as DataSchemas[T]),
    },
    { $id, description: webhookEventDescriptions[type] },
  );
}

export const ConversationStartedEvent = eventSchema("conversation.started", "ConversationStartedEvent");
export const MessageCreatedEvent = eventSchema("message.created", "MessageCreatedEvent");
export const ReplyFinishedEvent = eventSchema("reply.finished", "ReplyFinishedEvent");
export const ReplyFailedEvent = eventSchema("reply.failed", "ReplyFailedEvent");
export const MessageRatedEvent = eventSchema("message.rated", "MessageRatedEvent");
export const ConversationRatedEvent = eventSchema("conversation.rated", "ConversationRatedEvent");
export const ConversationIdleEvent = eventSchema("conversation.idle", "ConversationIdleEvent");
export const ConversationHandedOverEvent = eventSchema("conversation.handed_over", "ConversationHandedOverEvent");
export const ConversationStatusChangedEvent = eventSchema(
  "conversation.status_changed",
  "ConversationStatusChangedEvent",
);
export const FormSubmittedEvent = eventSchema("form.submitted", "FormSubmittedEvent");
export const FormDeliveryFailedEvent = eventSchema("form.delivery_failed", "FormDeliveryFailedEvent");
export const AgentBudgetReachedEvent = eventSchema("agent.budget_reached", "AgentBudgetReachedEvent");
export const VisitorErasedEvent = eventSchema("visitor.erased", "VisitorErasedEvent");

/** The schema of each event, by type. */
export const webhookEventSchemas = {
  "conversation.started": ConversationStartedEvent,
  "message.created": MessageCreatedEvent,
  "reply.finished": ReplyFinishedEvent,
  "reply.failed": ReplyFailedEvent,
  "message.rated": MessageRatedEvent,
  "conversation.rated": ConversationRatedEvent,
  "conversation.idle": ConversationIdleEvent,
  "conversation.handed_over": ConversationHandedOverEvent,
  "conversation.status_changed": ConversationStatusChangedEvent,
  "form.submitted": FormSubmittedEvent,
  "form.delivery_failed": FormDeliveryFailedEvent,
  "agent.budget_reached": AgentBudgetReachedEvent,
  "visitor.erased": VisitorErasedEvent,
} as const;

export const WebhookEvent = Type.Object(
  {
    id: Type.String(),
    type: stringEnum(webhookEventTypes),
    createdAt: Timestamp,
    organizationId: Type.String(),
    agentId: nullable(Type.String()),
    conversationId: nullable(Type.String()),
    sequence: nullable(Type.Integer()),
    data: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description: "Depends on `type`, see the schemas of the webhooks",
    }),
  },
  { $id: "WebhookEvent", description: "Something that happened, as sent to webhooks and listed by the event feed" },
);
export type WebhookEvent = Static<typeof WebhookEvent>;

const tags = ["Webhooks"];
const config = { access: "account" } as const;

export const EventFeed = Type.Object(
  { isEnabled: Type.Boolean({ description: "Whether events are recorded for the feed" }) },
  { $id: "EventFeed" },
);
export type EventFeed = Static<typeof EventFeed>;

export const EventQuery = Type.Object({
  after: Type.Optional(
    Type.String({ maxLength: 30, description: "The `cursor` of an earlier response. Without it, the oldest events." }),
  ),
  kinds: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "Only these event types, separated by commas, such as `reply.finished`",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 100. Values above 1000 count as 1000." })),
});
export type EventQuery = Static<typeof EventQuery>;

export const listEvents = {
  method: "GET",
  url: "/events",
  config,
  schema: {
    tags,
    summary: "List events of the last 30 days, oldest first",
    description:
      "For receivers that cannot be reached by a webhook. Pass the returned `cursor` as `after` to get the events since then; no event is skipped or repeated. Turn the feed on with `PUT /events/feed` first.",
    querystring: EventQuery,
    response: {
      200: Type.Object({
        events: Type.Array(ref(WebhookEvent)),
        cursor: Type.String({ description: "Pass it as `after`. It does not change while nothing happens." }),
        hasGap: Type.Boolean({
          description:
            "Whether events after `after` were deleted before this call, because the server stores a limited number of events for an organization.",
        }),
      }),
    },
  },
} as const;

export const getEventFeed = {
  method: "GET",
  url: "/events/feed",
  config,
  schema: { tags, summary: "Read whether the event feed is on", response: { 200: ref(EventFeed) } },
} as const;

export const putEventFeed = {
  method: "PUT",
  url: "/events/feed",
  config,
  schema: {
    tags,
    summary: "Switch the event feed on or off",
    body: Type.Object({ isEnabled: Type.Boolean({ description: "Whether to record events for the feed" }) }),
    response: { 200: ref(EventFeed) },
  },
} as const;
