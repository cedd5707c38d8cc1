import Type, { type Static } from "typebox";
import { maxBulkConversations, maxBulkIds } from "../rules/limits.ts";
import { idParams, inEnvelope, nullable, ref, stringEnum, Timestamp } from "../schema.ts";
import { ConversationSelection } from "./views.ts";

const tags = ["Inbox"];
const session = { access: "session" } as const;
const params = idParams("bulk action");

export const bulkActions = ["assign", "resolve", "reopen", "snooze", "read", "tag", "untag", "trash"] as const;
export type BulkActionName = (typeof bulkActions)[number];

const bulkStates = ["running", "done", "undoing", "undone"] as const;
export type BulkState = (typeof bulkStates)[number];

/** A change of many conversations, which the server makes in the background. */
export const BulkAction = Type.Object(
  {
    id: Type.String(),
    action: stringEnum(bulkActions),
    state: stringEnum(bulkStates),
    total: nullable(
      Type.Integer({ description: "The number of conversations; `null` while the server collects them" }),
    ),
    done: Type.Integer({ description: "Conversations that were changed" }),
    skipped: Type.Integer({
      description: "Conversations that were left as they are, because the change does not apply or they were deleted",
    }),
    undone: Type.Integer({
      description: "Conversations that an undo has restored. It leaves alone what a person has changed since.",
    }),
    createdAt: Timestamp,
    finishedAt: nullable(Timestamp),
    canUndoUntil: nullable(Type.String({ format: "date-time", description: "`null` while the action runs" })),
  },
  { $id: "BulkAction" },
);
export type BulkAction = Static<typeof BulkAction>;

const BulkActionBody = Type.Object({
  action: stringEnum(
    bulkActions,
    "`assign` needs `userId`, which can be `me`, or `teamId`; `snooze` needs `until`; `tag` and `untag` need `tag`. `read` marks the messages as read that arrived before the request. `trash` moves to the trash, or deletes permanently if the server keeps none.",
  ),
  userId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "The member to assign to" })),
  teamId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "The team to assign to, for which the visitors wait then",
    }),
  ),
  until: Type.Optional(
    Type.String({ format: "date-time", description: "When snoozed conversations open again, within a year" }),
  ),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "The name of the tag" })),
  conversationIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: maxBulkIds,
      uniqueItems: true,
      description: "Ids of the conversations",
    }),
  ),
  filter: Type.Optional(
    Type.Object(ConversationSelection.properties, { description: "What `GET /conversations` takes" }),
  ),
  view: Type.Optional(Type.String({ maxLength: 100, description: "Id of a view, whose filter is used" })),
});
export type BulkActionBody = Static<typeof BulkActionBody>;

export const createBulkAction = {
  method: "POST",
  url: "/conversations/bulk",
  config: session,
  schema: {
    tags,
    summary: "Change many conversations in the background",
    description: `Name the conversations with exactly one of \`conversationIds\`, \`filter\` and \`view\`. A filter covers what it finds when the server collects them, at most ${maxBulkConversations.toLocaleString("en")} conversations, newest first. An organization can have up to five unfinished bulk actions.`,
    body: BulkActionBody,
    response: { 202: inEnvelope(ref(BulkAction)) },
  },
} as const;

export const getBulkAction = {
  method: "GET",
  url: "/conversations/bulk/:id",
  config: session,
  schema: {
    tags,
    summary: "Read the progress of a bulk action. It is kept for a day.",
    params,
    response: { 200: inEnvelope(ref(BulkAction)) },
  },
} as const;

export const undoBulkAction = {
  method: "POST",
  url: "/conversations/bulk/:id/undo",
  config: session,
  schema: {
    tags,
    summary: "Undo a bulk action, within an hour. An action that runs is stopped first.",
    params,
    response: { 202: inEnvelope(ref(BulkAction)) },
  },
} as const;
