import Type, { type Static } from "typebox";
import { ConversationContext, MessagePreview } from "../conversations/conversation.ts";
import { ConversationRating } from "../conversations/conversation-rating.ts";
import { submissionStatuses } from "../forms/form-submission.ts";
import { handlers, handoffLimits, Person } from "../handoff/handoff.ts";
import { maxNotes } from "../inbox/inbox.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { inEnvelope, nullable, ref, refOrNull, Success, stringEnum, Timestamp } from "../schema.ts";
import { VerifiedVisitor, VisitorIdentity } from "../visitors/visitor-identity.ts";

/** A note of the team about a visitor. It is never shown to visitors or the model. */
export const VisitorNote = Type.Object(
  { id: Type.String(), author: ref(Person), text: Type.String(), createdAt: Timestamp },
  { $id: "VisitorNote", description: "A note of the team about a visitor" },
);
export type VisitorNote = Static<typeof VisitorNote>;

/** What the team knows about one visitor. */
export const VisitorProfile = Type.Object(
  {
    key: Type.String(),
    identity: VisitorIdentity,
    userId: nullable(Type.String()),
    userEmail: nullable(Type.String()),
    userName: nullable(Type.String()),
    visitor: Type.Unsafe<VerifiedVisitor | null>({
      anyOf: [ref(VerifiedVisitor), { type: "null" }],
      description: "What the visitor last proved",
    }),
    userMetadata: Type.Unsafe<Record<string, unknown> | null>({
      type: ["object", "null"],
      additionalProperties: true,
      description: "Further facts that the page last sent without a proof",
    }),
    context: Type.Unsafe<ConversationContext | null>({
      anyOf: [ConversationContext, { type: "null" }],
      description: "Where the newest conversation started",
    }),
    firstSeenAt: Timestamp,
    lastSeenAt: Timestamp,
    conversationCount: Type.Integer(),
    conversations: Type.Array(
      Type.Object({
        id: Type.String(),
        agentId: Type.String(),
        agentName: Type.String(),
        title: Type.String(),
        messageCount: Type.Integer(),
        handler: stringEnum(handlers),
        isTest: Type.Boolean(),
        lastMessage: Type.Unsafe<MessagePreview | null>({ anyOf: [MessagePreview, { type: "null" }] }),
        rating: Type.Optional(
          refOrNull(ConversationRating, { description: "The visitor's rating of the conversation, if there is one" }),
        ),
        createdAt: Timestamp,
        updatedAt: Timestamp,
      }),
      { description: "The newest 100, newest first" },
    ),
    submissions: Type.Array(
      Type.Object({
        id: Type.String(),
        agentId: Type.String(),
        agentName: Type.String(),
        toolName: Type.String(),
        status: stringEnum(submissionStatuses),
        conversationId: nullable(Type.String()),
        createdAt: Timestamp,
      }),
      { description: "The newest 100 that the visitor demonstrably made, newest first" },
    ),
    pages: Type.Array(
      Type.Object({
        conversationId: Type.String(),
        url: Type.String(),
        title: nullable(Type.String()),
        at: Timestamp,
      }),
      { description: "The pages from which the visitor sent the newest 200 messages, newest first" },
    ),
    notes: Type.Array(ref(VisitorNote), { description: "Oldest first" }),
  },
  { $id: "VisitorProfile" },
);
export type VisitorProfile = Static<typeof VisitorProfile>;

const tags = ["Visitors"];
const config = { access: "account" } as const;
const key = Type.String({ minLength: 1, maxLength: 1_000, description: "`visitorKey` of a conversation" });

export const getVisitor = {
  method: "GET",
  url: "/visitors/:key",
  config,
  schema: {
    tags,
    summary: "Get what the team knows about a visitor: identity, conversations, submissions, pages and notes",
    description:
      "Conversations belong to one visitor if they have the same proven user id. Without a proof, the claimed user id, then the email address, then the browser's session decide. Visitors are never merged.",
    params: Type.Object({ key }),
    response: { 200: inEnvelope(ref(VisitorProfile)) },
  },
} as const;

export const createVisitorNote = {
  method: "POST",
  url: "/visitors/:key/notes",
  config: { access: "account", idempotent: true },
  schema: {
    tags,
    summary: "Add a note about a visitor. It is never sent to the visitor or the model.",
    description: `A visitor can have up to ${maxNotes} notes.`,
    params: Type.Object({ key }),
    body: Type.Object({
      text: Type.String({
        minLength: 1,
        maxLength: handoffLimits.note,
        pattern: textPatterns.notBlank,
        description: "Plain text",
      }),
    }),
    response: { 201: inEnvelope(ref(VisitorNote)) },
  },
} as const;

export const deleteVisitorNote = {
  method: "DELETE",
  url: "/visitors/:key/notes/:noteId",
  config,
  schema: {
    tags,
    summary: "Delete a note about a visitor",
    params: Type.Object({ key, noteId: Type.String({ description: "Id of the note" }) }),
    response: { 200: inEnvelope(Success) },
  },
} as const;
