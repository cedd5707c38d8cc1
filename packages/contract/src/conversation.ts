import Type, { type Static } from "typebox";
import { VisitorForm } from "./form.ts";
import { enveloped, nullable, oneOf, Pagination, ref, Success, Timestamp } from "./schema.ts";

export const stopReasons = ["end_turn", "max_steps", "error", "aborted"] as const;
export type StopReason = (typeof stopReasons)[number];

export const Rating = oneOf(["up", "down"]);
export type Rating = Static<typeof Rating>;

/** A tool call as it is kept with the message that made it. */
export const ToolCall = Type.Object({
  id: Type.String(),
  name: Type.String(),
  toolId: nullable(Type.String()),
  executionType: nullable(Type.String()),
  input: Type.Unknown(),
  result: Type.Unknown(),
  isError: Type.Boolean(),
  display: Type.Unknown({ description: "What was shown to the visitor, as in `tool_result`; `null` for none" }),
  form: nullable(VisitorForm),
  textBefore: Type.Integer({ description: "How much of `content`, in UTF-16 units, was said before the call" }),
});
export type ToolCall = Static<typeof ToolCall>;

export const Message = Type.Object(
  {
    id: Type.String(),
    role: oneOf(["user", "assistant"]),
    content: Type.String(),
    createdAt: Timestamp,
    toolCalls: Type.Array(ToolCall),
    feedback: nullable(Rating),
    stopReason: nullable(
      oneOf(stopReasons, "How a reply ended; `error` and `aborted` mark a partial one; `null` while it runs"),
    ),
  },
  { $id: "Message" },
);
export type Message = Static<typeof Message>;

const conversationFields = {
  id: Type.String(),
  agentId: Type.String(),
  title: Type.String(),
  messageCount: Type.Integer(),
  userId: nullable(Type.String()),
  userEmail: nullable(Type.String()),
  userName: nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const ConversationSummary = Type.Object(
  {
    ...conversationFields,
    hasForm: Type.Boolean({ description: "A form was submitted in it" }),
    feedback: nullable({ ...Rating, description: "Of the newest message that was rated" }),
  },
  { $id: "ConversationSummary" },
);
export type ConversationSummary = Static<typeof ConversationSummary>;

export const Conversation = Type.Object(
  { ...conversationFields, messages: Type.Array(ref(Message)) },
  { $id: "Conversation" },
);
export type Conversation = Static<typeof Conversation>;

const tags = ["Conversations"];
const params = Type.Object({ id: Type.String() });

/** `limit` over the maximum is clamped by the service, so the schema only asks for a positive integer. */
export const ConversationQuery = Type.Object({
  agentId: Type.String({ minLength: 1 }),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Default 20; more than 100 counts as 100" })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  userId: Type.Optional(Type.String()),
  q: Type.Optional(Type.String({ maxLength: 200, description: "Text found in the title or a message" })),
  feedback: Type.Optional(Rating),
  hasForm: Type.Optional(Type.Boolean({ description: "Whether a form was submitted in it" })),
  from: Type.Optional(Type.String({ format: "date-or-date-time", description: "Started at or after" })),
  to: Type.Optional(Type.String({ format: "date-or-date-time", description: "Started before; a date counts whole" })),
});
export type ConversationQuery = Static<typeof ConversationQuery>;

export const listConversations = {
  method: "GET",
  url: "/conversations",
  config: { access: "account" },
  schema: {
    tags,
    summary: "List an agent's conversations, newest first",
    querystring: ConversationQuery,
    response: {
      200: Type.Object({
        data: Type.Array(ref(ConversationSummary)),
        pagination: Pagination,
        error: Type.Null(),
      }),
    },
  },
} as const;

export const getConversation = {
  method: "GET",
  url: "/conversations/:id",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Read a conversation with its messages",
    params,
    response: { 200: enveloped(ref(Conversation)) },
  },
} as const;

export const deleteConversation = {
  method: "DELETE",
  url: "/conversations/:id",
  config: { access: "account" },
  schema: { tags, summary: "Delete a conversation", params, response: { 200: enveloped(Success) } },
} as const;

export const rateMessage = {
  method: "POST",
  url: "/conversations/:id/feedback",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Rate a message; a later rating replaces an earlier one",
    params,
    body: Type.Object({ messageId: Type.String({ minLength: 1 }), rating: Rating }),
    response: { 200: enveloped(Type.Object({ messageId: Type.String(), rating: Rating })) },
  },
} as const;
