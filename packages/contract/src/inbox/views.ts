import Type, { type Static } from "typebox";
import { ConversationQuery } from "../conversations/conversation.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import {
  clearable,
  idParams,
  inEnvelope,
  nullable,
  ref,
  Success,
  stringEnum,
  Timestamp,
  withDescription,
} from "../schema.ts";

const tags = ["Inbox"];
const session = { access: "session" } as const;

/** The maximum number of views that an organization shares, and that each member has. */
export const maxViews = 100;

const { agentId, handler, status, assignee, unread, q, feedback, rating, hasForm, failed, test, tag, team } =
  ConversationQuery.properties;

/** The filters of `GET /conversations` that can be saved or used for a bulk action. */
export const ConversationSelection = Type.Object(
  { agentId, handler, status, assignee, unread, q, feedback, rating, hasForm, failed, test, tag, team },
  {
    $id: "ConversationSelection",
    description:
      "Filters of `GET /conversations`. `assignee=me` means the member who uses them. Without `agentId`, they cover the conversations of all agents.",
  },
);
export type ConversationSelection = Static<typeof ConversationSelection>;

/** What a row of the list can show besides the visitor and the last message. */
export const viewColumns = ["agent", "assignee", "tags", "cost"] as const;

const viewSorts = ["newest", "activity"] as const;
const viewReferences = ["agent", "tag", "assignee", "team"] as const;
export type ViewReference = (typeof viewReferences)[number];

const viewFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 60,
    pattern: textPatterns.notBlank,
    description: "What members call it",
  }),
  isShared: Type.Boolean({
    description: "Whether all members of the organization, or those of `teamId`, have the view",
  }),
  teamId: nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        "The team that shares the view. Only its members have it then. You must belong to the team. When the team is deleted, all members of the organization have its views.",
    }),
  ),
  sort: stringEnum(viewSorts, "`activity`: the conversation with the most recent message first"),
  columns: Type.Array(stringEnum(viewColumns), {
    maxItems: viewColumns.length,
    uniqueItems: true,
    description: "What each row shows besides the visitor and the last message",
  }),
};

/** Saved filters of the inbox. */
export const InboxView = Type.Object(
  {
    id: Type.String(),
    ...viewFields,
    filter: ref(ConversationSelection),
    missing: Type.Array(stringEnum(viewReferences), {
      description:
        "What the filter names although it no longer exists: a deleted agent, tag or team, or a member who has left. Until the view is changed, `GET /conversations` leaves these filters out, and bulk actions that use the view get 409.",
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: "InboxView" },
);
export type InboxView = Static<typeof InboxView>;

const { name, isShared, teamId, sort, columns } = viewFields;
const filter = withDescription(clearable(Type.Object(ConversationSelection.properties)), {
  description: "What `GET /conversations` takes; `null` clears a filter",
});

export const listInboxViews = {
  method: "GET",
  url: "/inbox/views",
  config: session,
  schema: {
    tags,
    summary: "List your saved views and those that the organization or your teams share, by name",
    response: { 200: inEnvelope(Type.Array(ref(InboxView))) },
  },
} as const;

export const createInboxView = {
  method: "POST",
  url: "/inbox/views",
  config: session,
  schema: {
    tags,
    summary: "Save filters of the inbox as a view",
    description: `A member can have up to ${maxViews} views, and an organization can share as many.`,
    body: Type.Object({
      name,
      filter,
      isShared: Type.Optional(isShared),
      teamId: Type.Optional(teamId),
      sort: Type.Optional(sort),
      columns: Type.Optional(columns),
    }),
    response: { 201: inEnvelope(ref(InboxView)) },
  },
} as const;

export const updateInboxView = {
  method: "PATCH",
  url: "/inbox/views/:id",
  config: session,
  schema: {
    tags,
    summary: "Change a view. Every member who has a shared one can change it.",
    params: idParams("view"),
    body: Type.Object({
      name: Type.Optional(name),
      filter: Type.Optional(filter),
      isShared: Type.Optional(isShared),
      teamId: Type.Optional(teamId),
      sort: Type.Optional(sort),
      columns: Type.Optional(columns),
    }),
    response: { 200: inEnvelope(ref(InboxView)) },
  },
} as const;

export const deleteInboxView = {
  method: "DELETE",
  url: "/inbox/views/:id",
  config: session,
  schema: {
    tags,
    summary: "Delete a view. Every member who has a shared one can delete it.",
    params: idParams("view"),
    response: { 200: inEnvelope(Success) },
  },
} as const;
