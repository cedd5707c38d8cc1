import Type, { type Static } from "typebox";
import { Attachment, memberAttachmentIds } from "../attachments/attachments.ts";
import { handoffLimits } from "../handoff/handoff.ts";
import { idParams, inEnvelope, nullable, ref, refOrNull, stringEnum, Timestamp } from "../schema.ts";
import { ReplyActions } from "./canned-replies.ts";

const tags = ["Inbox"];
const session = { access: "session" } as const;

export const messageDraftModes = ["reply", "note"] as const;
export type MessageDraftMode = (typeof messageDraftModes)[number];

/** The maximum number of drafts of a member in an organization. Beyond it, the oldest one is deleted. */
export const maxMessageDrafts = 200;

/** What a member has written in a conversation and not sent. */
export const MessageDraft = Type.Object(
  {
    mode: stringEnum(messageDraftModes, "`reply`: to the visitor; `note`: an internal note"),
    text: Type.String(),
    attachments: Type.Array(ref(Attachment), {
      description: "The uploads that still exist, in the order in which they will be attached",
    }),
    actions: nullable(ReplyActions),
    updatedAt: Timestamp,
  },
  {
    $id: "MessageDraft",
    description: "What a member has written in a conversation and not sent. Only that member can read it.",
  },
);
export type MessageDraft = Static<typeof MessageDraft>;

export const listMessageDrafts = {
  method: "GET",
  url: "/conversations/:id/drafts",
  config: session,
  schema: {
    tags,
    summary: "List what you have written in a conversation and not sent",
    description: "At most one reply and one note. Drafts of other members are never returned.",
    params: idParams("conversation"),
    response: { 200: inEnvelope(Type.Array(ref(MessageDraft))) },
  },
} as const;

export const putMessageDraft = {
  method: "PUT",
  url: "/conversations/:id/drafts/:mode",
  config: session,
  schema: {
    tags,
    summary: "Save what you have written in a conversation and not sent",
    description: `Replaces the whole draft: of two devices, the one whose request reaches the server last wins. A draft without text and attachments is deleted, and \`data\` is \`null\`. Sending with \`POST /conversations/{id}/messages\` deletes the draft of the reply, and \`POST /conversations/{id}/notes\` that of the note. A member keeps the ${maxMessageDrafts} newest drafts.`,
    params: Type.Object({
      id: Type.String({ description: "Id of the conversation" }),
      mode: stringEnum(messageDraftModes, "`reply` or `note`"),
    }),
    body: Type.Object({
      text: Type.String({
        maxLength: handoffLimits.message,
        description: `At most ${handoffLimits.note} characters for a note`,
      }),
      attachments: memberAttachmentIds,
      actions: Type.Optional(nullable(ReplyActions)),
    }),
    response: { 200: inEnvelope(refOrNull(MessageDraft)) },
  },
} as const;
