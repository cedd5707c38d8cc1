import Type, { type Static } from "typebox";
import { maxConversationTags, maxTagNameLength } from "../rules/tag-name.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { idParams, inEnvelope, ref, Success, Timestamp } from "../schema.ts";

export { maxConversationTags } from "../rules/tag-name.ts";

/** The maximum number of tags of an organization. */
export const maxTags = 500;

/** A tag as conversations list it. */
export const ConversationTag = Type.Object({ id: Type.String(), name: Type.String() }, { $id: "ConversationTag" });
export type ConversationTag = Static<typeof ConversationTag>;

/** A label that members attach to conversations. It is never shown to visitors or the model. */
export const Tag = Type.Object(
  { id: Type.String(), name: Type.String(), createdAt: Timestamp },
  { $id: "Tag", description: "A tag of the organization. Visitors and the model never see it." },
);
export type Tag = Static<typeof Tag>;

const tags = ["Inbox"];
const body = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: maxTagNameLength,
    pattern: textPatterns.oneLine,
    description: "Such as `refund`. Names that differ only in case and spaces name the same tag.",
  }),
});

export const listTags = {
  method: "GET",
  url: "/tags",
  config: { access: "account" },
  schema: { tags, summary: "List the organization's tags by name", response: { 200: Type.Array(ref(Tag)) } },
} as const;

export const updateTag = {
  method: "PATCH",
  url: "/tags/:id",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Rename a tag in all conversations",
    description: "If another tag has the name, the response is 409.",
    params: idParams("tag"),
    body,
    response: { 200: ref(Tag) },
  },
} as const;

export const deleteTag = {
  method: "DELETE",
  url: "/tags/:id",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Delete a tag and remove it from all conversations",
    params: idParams("tag"),
    response: { 200: Success },
  },
} as const;

export const addConversationTag = {
  method: "POST",
  url: "/conversations/:id/tags",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Tag a conversation",
    description: `Creates the tag if the organization has none with this name. Adding a tag twice changes nothing. A conversation can have up to ${maxConversationTags} tags, and an organization up to ${maxTags}.`,
    params: idParams("conversation"),
    body,
    response: { 200: inEnvelope(Type.Array(ref(ConversationTag), { description: "All tags of the conversation" })) },
  },
} as const;

export const removeConversationTag = {
  method: "DELETE",
  url: "/conversations/:id/tags/:tagId",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Remove a tag from a conversation",
    params: Type.Object({
      id: Type.String({ description: "Id of the conversation" }),
      tagId: Type.String({ description: "Id of the tag" }),
    }),
    response: { 200: inEnvelope(Type.Array(ref(ConversationTag), { description: "The remaining tags" })) },
  },
} as const;
