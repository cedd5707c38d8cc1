import Type, { type Static } from "typebox";
import { attachmentLimits } from "../rules/attachment-limits.ts";
import { inEnvelope, nullable, stringEnum, Timestamp, withDocumentation } from "../schema.ts";

export { attachmentLimits };

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

export const UploadedAttachment = Type.Object(
  {
    ...attachment,
    keptSeconds: Type.Integer({ description: "Seconds until the upload is deleted, unless a message has it by then" }),
  },
  { $id: "UploadedAttachment", description: "A picture or file that was just uploaded" },
);
export type UploadedAttachment = Static<typeof UploadedAttachment>;

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

export const EventAttachment = Type.Object(
  {
    id: attachment.id,
    name: attachment.name,
    type: attachment.type,
    size: attachment.size,
    url: Type.String({ description: "URL of the content. It needs no token until `expiresAt`, one hour later." }),
    expiresAt: Timestamp,
  },
  { $id: "EventAttachment", description: "A picture or file of a message in an event" },
);
export type EventAttachment = Static<typeof EventAttachment>;

/** The ids of what a member attaches. The service limits their number, so that one error says what is wrong. */
export const memberAttachmentIds = Type.Optional(
  nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      uniqueItems: true,
      description: `Ids from \`POST /chat/attachments\` with this \`conversationId\`, uploaded with the same session or API key: at most ${attachmentLimits.perMessage}, and 20 MB together. Each can be attached once.`,
    }),
  ),
);

const tags = ["Chat"];

export const uploadAttachment = {
  method: "POST",
  url: "/chat/attachments",
  config: { access: "visitor", crossOrigin: true },
  schema: {
    tags,
    summary: "Upload a picture or a file for a message",
    description:
      "The body is the file itself, with its name percent-encoded in the header `X-Filename`, or `multipart/form-data` with one part `file`. JPEG, PNG, GIF, WebP, PDF, DOCX, plain text and CSV of up to 10 MB are accepted if the agent's `attachments` allow them. The content decides about the type. Metadata of pictures, such as the place where they were taken, is not stored. Send the id in `attachments` of `POST /chat` within `keptSeconds`, an hour by default; otherwise the upload is deleted. It belongs to the `sessionId`, or to the conversation whose token is sent as a bearer token, and nobody else can attach it. Members and API keys send a `conversationId` and attach the upload to a message or a note; the agent's `attachments` do not limit them.",
    consumes: ["application/octet-stream", "multipart/form-data"],
    querystring: Type.Object({
      agentId: Type.Optional(
        Type.String({
          minLength: 1,
          description: "Id of the agent. Members and API keys can leave it out with `conversationId`.",
        }),
      ),
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
          description:
            "Id of the conversation whose token is sent, or for which a member uploads. Required with a conversation's token.",
        }),
      ),
    }),
    body: withDocumentation<unknown>({}, { type: "string", format: "binary" }),
    response: { 201: inEnvelope(UploadedAttachment) },
  },
} as const;

const inline = Type.Optional(stringEnum(["1"], "`1` shows a picture instead of downloading it"));
const response = {
  200: {
    description: "The content",
    content: { "*/*": { schema: Type.Unsafe<unknown>({ description: "The bytes of the picture or file" }) } },
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
    querystring: Type.Object({ inline }),
    response,
  },
} as const;

export const getSignedAttachment = {
  method: "GET",
  url: "/attachments/:attachmentId",
  config: { access: "public", crossOrigin: true },
  schema: {
    tags: ["Conversations"],
    summary: "Download a picture or a file with the link of an event",
    description:
      "Links are valid for one hour and need no token. 401 means that the link has expired or was changed; use `GET /conversations/:id/attachments/:attachmentId` then.",
    params: Type.Object({ attachmentId: Type.String({ description: "Id of the attachment" }) }),
    querystring: Type.Object({
      expires: Type.Integer({ description: "When the link expires, in seconds since 1970" }),
      signature: Type.String({ minLength: 1, maxLength: 200, description: "Proves that the server created the link" }),
      inline,
    }),
    response,
  },
} as const;
