import Type, { type Static } from "typebox";
import { maxConversationTags } from "../conversations/tags.ts";
import { handoffLimits } from "../handoff/handoff.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { idParams, nullable, ref, Success, Timestamp } from "../schema.ts";

const tags = ["Inbox"];
const id = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });

/** The longest time for which a reply can snooze a conversation, in minutes: a year. */
export const maxSnoozeMinutes = 366 * 24 * 60;

/** What happens to a conversation when a reply is sent. */
export const ReplyActions = Type.Object(
  {
    tagIds: Type.Optional(
      Type.Array(id("Id of a tag"), {
        maxItems: maxConversationTags,
        uniqueItems: true,
        description: "The conversation gets these tags.",
      }),
    ),
    assign: Type.Optional(
      Type.Object(
        {
          userId: Type.Optional(id("The member who continues")),
          teamId: Type.Optional(id("The team that continues. Without `userId`, the visitor waits for it.")),
        },
        { minProperties: 1, description: "Assigns the conversation to a member, a team, or a member for a team." },
      ),
    ),
    snoozeMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxSnoozeMinutes,
        description: "Snoozes the conversation for this time, or until the visitor writes.",
      }),
    ),
    resolve: Type.Optional(Type.Boolean({ description: "`true` resolves the conversation." })),
  },
  {
    description:
      "What else happens when the reply is sent. At most one of `assign`, `snoozeMinutes` and `resolve` can be set.",
  },
);
export type ReplyActions = Static<typeof ReplyActions>;

/** The maximum number of canned replies of an organization. */
export const maxCannedReplies = 500;
const cannedName = Type.String({
  minLength: 1,
  maxLength: 80,
  pattern: textPatterns.notBlank,
  description: "What members search for",
});
const cannedText = Type.String({
  minLength: 1,
  maxLength: handoffLimits.message,
  pattern: textPatterns.notBlank,
  description:
    "Markdown. The dashboard fills in `{{visitor.name}}`, `{{visitor.email}}`, `{{member.name}}` and `{{agent.name}}`.",
});

/** A prepared answer that members insert. */
export const CannedReply = Type.Object(
  {
    id: Type.String(),
    name: cannedName,
    text: cannedText,
    actions: Type.Optional(
      Type.Object(ReplyActions.properties, {
        description: "What else happens when the reply is sent. Without actions, the property is missing.",
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: "CannedReply" },
);
export type CannedReply = Static<typeof CannedReply>;

export const listCannedReplies = {
  method: "GET",
  url: "/canned-replies",
  config: { access: "account" },
  schema: { tags, summary: "List canned replies by name", response: { 200: Type.Array(ref(CannedReply)) } },
} as const;

export const createCannedReply = {
  method: "POST",
  url: "/canned-replies",
  config: { access: "account", idempotent: true },
  schema: {
    tags,
    summary: "Create a canned reply",
    description: `An organization can have up to ${maxCannedReplies} canned replies.`,
    body: Type.Object({ name: cannedName, text: cannedText, actions: Type.Optional(nullable(ReplyActions)) }),
    response: { 201: ref(CannedReply) },
  },
} as const;

export const updateCannedReply = {
  method: "PATCH",
  url: "/canned-replies/:id",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Update a canned reply",
    params: idParams("canned reply"),
    body: Type.Object({
      name: Type.Optional(cannedName),
      text: Type.Optional(cannedText),
      actions: Type.Optional(nullable(ReplyActions)),
    }),
    response: { 200: ref(CannedReply) },
  },
} as const;

export const deleteCannedReply = {
  method: "DELETE",
  url: "/canned-replies/:id",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Delete a canned reply",
    params: idParams("canned reply"),
    response: { 200: Success },
  },
} as const;
