import Type from "typebox";
import { idParams, inEnvelope, MEDIA_TYPES, nullable, Pagination, ref, Success, stringEnum } from "../schema.ts";
import { Conversation, ConversationQuery, ConversationStanding, ConversationSummary, Rating } from "./conversation.ts";

const tags = ["Conversations"];
const params = idParams("conversation");

const ConversationPagination = Type.Object({
  ...Pagination.properties,
  cursor: Type.Optional(
    nullable(
      Type.String({ description: "Only with `sort=activity`: the `after` of the next page. `null` at the end." }),
    ),
  ),
});

export const listConversations = {
  method: "GET",
  url: "/conversations",
  config: { access: "account" },
  schema: {
    tags,
    summary: "List an agent's conversations, newest first or by activity, or the conversations that need a person",
    querystring: ConversationQuery,
    response: {
      200: Type.Object(
        { data: Type.Array(ref(ConversationSummary)), pagination: ConversationPagination, error: Type.Null() },
        { [MEDIA_TYPES]: { "text/csv": { schema: { type: "string", description: "With `format=csv`" } } } },
      ),
    },
  },
} as const;

export const getConversation = {
  method: "GET",
  url: "/conversations/:id",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Read a conversation and its messages",
    params,
    response: { 200: inEnvelope(ref(Conversation)) },
  },
} as const;

export const deleteConversation = {
  method: "DELETE",
  url: "/conversations/:id",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Delete a conversation. Visitors can delete their own with its token.",
    params,
    querystring: Type.Object({
      submissions: Type.Optional(
        Type.Boolean({
          description:
            "Also delete the form submissions that were made in the conversation. With a conversation token, those that the visitor demonstrably made.",
        }),
      ),
    }),
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const readConversation = {
  method: "POST",
  url: "/conversations/:id/read",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Mark a conversation as read for all members of the organization",
    params,
    response: { 200: inEnvelope(Success) },
  },
} as const;

const standing = { 200: inEnvelope(ref(ConversationStanding)) };

export const resolveConversation = {
  method: "POST",
  url: "/conversations/:id/resolve",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Resolve a conversation. If a person has it or the visitor waits for one, that ends, too.",
    params,
    response: standing,
  },
} as const;

export const reopenConversation = {
  method: "POST",
  url: "/conversations/:id/reopen",
  config: { access: "account" },
  schema: { tags, summary: "Open a resolved or snoozed conversation", params, response: standing },
} as const;

export const snoozeConversation = {
  method: "POST",
  url: "/conversations/:id/snooze",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Put a conversation away until a time, or until the visitor writes",
    params,
    body: Type.Object({
      until: Type.String({
        format: "date-or-date-time",
        description: "When it opens again, within a year: a date-time with a time zone, or a date (UTC)",
      }),
    }),
    response: standing,
  },
} as const;

export const revokeConversationLinks = {
  method: "POST",
  url: "/conversations/:id/revoke-links",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Revoke the links to a conversation in all emails sent so far",
    params,
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const rateMessage = {
  method: "POST",
  url: "/conversations/:id/feedback",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Rate a message. A later rating replaces an earlier one.",
    params,
    body: Type.Object({
      messageId: Type.String({ minLength: 1, description: "Id of the reply, from `message_start`" }),
      rating: stringEnum(["up", "down"], "Whether the reply was good (`up`) or bad (`down`)"),
      comment: Type.Optional(
        nullable(
          Type.String({ maxLength: 1_000, description: "The reason for the rating. A later rating replaces it." }),
        ),
      ),
    }),
    response: { 200: inEnvelope(Type.Object({ messageId: Type.String(), rating: Rating })) },
  },
} as const;
