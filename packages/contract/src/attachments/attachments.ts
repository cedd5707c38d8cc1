import Type, { type Static } from "typebox";
import { inEnvelope, nullable, stringEnum, withDocumentation } from "../schema.ts";

/** Limits of pictures and files in the chat. */
export const attachmentLimits = {
  fileBytes: 10 * 1024 * 1024,
  messageBytes: 20 * 1024 * 1024,
  perMessage: 4,
  nameCharacters: 200,
} as const;

export const pictureTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
export const fileTypes = [
  "application/pdf",
  "text/plain",
  "text/csv",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
] as const;
export const attachmentTypes = [...pictureTypes, ...fileTypes] as const;
export type AttachmentType = (typeof attachmentTypes)[number];

export const AttachmentSettings = Type.Object(
  {
    images: Type.Boolean({ description: "Whether visitors can send pictures: JPEG, PNG, GIF and WebP" }),
    files: Type.Boolean({ description: "Whether visitors can send files: PDF, DOCX, plain text and CSV" }),
    handoffOnly: Type.Boolean({
      description: "Whether visitors can send them only while they wait for a person or talk to one",
    }),
  },
  { $id: "AttachmentSettings", description: "What visitors can attach to their messages. Nothing by default." },
);
export type AttachmentSettings = Static<typeof AttachmentSettings>;

const attachment = {
  id: Type.String(),
  name: Type.String({ maxLength: attachmentLimits.nameCharacters }),
  type: stringEnum(attachmentTypes, "Media type, detected from the content"),
  size: Type.Integer({ description: "Size in bytes, as stored" }),
  width: nullable(Type.Integer({ description: "Width of the upright picture in pixels. `null` for a file." })),
  height: nullable(Type.Integer({ description: "Height of the upright picture in pixels. `null` for a file." })),
};

export const Attachment = Type.Object(attachment, {
  $id: "Attachment",
  description: "An uploaded picture or file that no message has yet",
});
export type Attachment = Static<typeof Attachment>;

export const MessageAttachment = Type.Object(
  {
    ...attachment,
    url: Type.String({
      description:
        "Path of the content. It needs the conversation's token, an API key or a session. With `?inline=1`, pictures can be shown in the page.",
    }),
  },
  { $id: "MessageAttachment", description: "A picture or file of a message" },
);
export type MessageAttachment = Static<typeof MessageAttachment>;

const tags = ["Chat"];

export const uploadAttachment = {
  method: "POST",
  url: "/chat/attachments",
  config: { access: "visitor", crossOrigin: true },
  schema: {
    tags,
    summary: "Upload a picture or a file for a message",
    description:
      "The body is the file itself, with its name percent-encoded in the header `X-Filename`, or `multipart/form-data` with one part `file`. JPEG, PNG, GIF, WebP, PDF, DOCX, plain text and CSV of up to 10 MB are accepted if the agent's `attachments` allow them. The content decides about the type. Metadata of pictures, such as the place where they were taken, is not stored. Send the id in `attachments` of `POST /chat` within an hour; otherwise the upload is deleted. It belongs to the `sessionId`, or to the conversation whose token is sent as a bearer token, and nobody else can attach it.",
    consumes: ["application/octet-stream", "multipart/form-data"],
    querystring: Type.Object({
      agentId: Type.String({ minLength: 1, description: "Id of the agent" }),
      sessionId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "The `sessionId` that `POST /chat` will send. Required without a conversation's token.",
        }),
      ),
      conversationId: Type.Optional(
        Type.String({
          minLength: 1,
          description: "Id of the conversation whose token is sent. Required with a conversation's token.",
        }),
      ),
    }),
    body: withDocumentation<unknown>({}, { type: "string", format: "binary" }),
    response: { 201: inEnvelope(Attachment) },
  },
} as const;

export const getAttachment = {
  method: "GET",
  url: "/conversations/:id/attachments/:attachmentId",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags: ["Conversations"],
    summary: "Download a picture or a file of a message",
    description:
      "The response is a download. With `inline=1`, a picture can be shown in a page; for other files the parameter has no effect.",
    params: Type.Object({
      id: Type.String({ description: "Id of the conversation" }),
      attachmentId: Type.String({ description: "Id of the attachment" }),
    }),
    querystring: Type.Object({
      inline: Type.Optional(stringEnum(["1"], "`1` shows a picture instead of downloading it")),
    }),
    response: {
      200: {
        description: "The content",
        content: { "*/*": { schema: Type.Unsafe<unknown>({ description: "The bytes of the picture or file" }) } },
      },
    },
  },
} as const;
