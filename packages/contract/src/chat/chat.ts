import Type, { type Static } from "typebox";
import { attachmentLimits } from "../attachments/attachments.ts";
import { maxClientTools, maxIdentityLength } from "../rules/limits.ts";
import { inEnvelope, nullable, ref, Success, stringEnum, withDescription } from "../schema.ts";
import { Page } from "../visitors/page.ts";
import { userToken } from "../visitors/visitor-identity.ts";
import { ChatEventSchema } from "./chat-events.ts";

/** Limits on what one call appends to a conversation. */
export const chatLimits = { messages: 200, characters: 32_000, messageKey: 100 } as const;

/** Limits of a conversation: messages, and UTF-8 bytes of their text and of their tool calls. */
export const conversationLimits = { messages: 2_000, textBytes: 2 * 1024 * 1024, toolBytes: 8 * 1024 * 1024 } as const;

const identity = (description: string) =>
  Type.Optional(nullable(Type.String({ maxLength: maxIdentityLength, description })));

const address = (description: string) => Type.Optional(nullable(Type.String({ maxLength: 20_000, description })));

/**
 * The page, referrer and language of a visit. By default the server takes the device from `User-Agent` and the language
 * from `Accept-Language`.
 */
export const VisitContext = Type.Object({
  page: address("URL of the page that shows the chat; cut to 2,000 characters. Defaults to the message's `page.url`."),
  referrer: address("The page's referrer; cut to 2,000 characters"),
  language: Type.Optional(
    nullable(Type.String({ maxLength: 200, description: "Language of the browser, such as `de-CH`" })),
  ),
});
export type VisitContext = Static<typeof VisitContext>;

export const ChatRequest = Type.Object({
  agentId: Type.String({ minLength: 1, description: "Id of the agent that replies" }),
  messages: Type.Array(
    Type.Object({
      role: stringEnum(["user", "assistant"], "Who wrote the message. The last message must have the role `user`."),
      content: Type.String({
        description: `Text of the message, at most ${chatLimits.characters.toLocaleString("en")} characters`,
      }),
    }),
    {
      minItems: 1,
      description: `The messages so far, oldest first. A new conversation stores all of them. An existing one appends the user messages after the last \`assistant\` message, at most ${chatLimits.messages} at once.`,
    },
  ),
  conversationId: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        description: "Id of the conversation to continue, from `message_start`. Without it, a new conversation begins.",
      }),
    ),
  ),
  attachments: Type.Optional(
    nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        uniqueItems: true,
        description: `Ids from \`POST /chat/attachments\`, for the last message: at most ${attachmentLimits.perMessage}, and 20 MB together. Each can be attached once. The message's \`content\` may then be empty.`,
      }),
    ),
  ),
  messageKey: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: chatLimits.messageKey,
        description:
          "A random key of the last message, made by your client. To send a message again after a lost connection, send the same key and `conversationId`: the message is stored once, and the response is the reply to it, running or finished. To send the first message of a conversation again, send the same `sessionId` instead, within an hour; this needs a key of 128 random bits, which is a random UUID or 32 hexadecimal digits. 409 means that the key was used for a different message of the conversation. Ignored with `regenerate`.",
      }),
    ),
  ),
  regenerate: Type.Optional(nullable(Type.Boolean({ description: "Replace the last reply with a new one" }))),
  resumable: Type.Optional(
    nullable(
      Type.Boolean({
        description: "Keep the reply running for 30 s after the client disconnects, so that it can be resumed",
      }),
    ),
  ),
  triggerId: Type.Optional(
    nullable(
      Type.String({
        maxLength: 100,
        description:
          "For a new conversation: the `show_bubble` trigger that the visitor answers. Its stored message becomes the first message, from the assistant. Ignored when the agent has no such enabled trigger.",
      }),
    ),
  ),
  context: Type.Optional(
    nullable(
      withDescription(VisitContext, {
        description: "The page that the visitor is on. Stored with a new conversation.",
      }),
    ),
  ),
  page: Type.Optional(
    nullable(
      withDescription(Page, {
        description:
          "The page from which the visitor sends the message. It is stored with the message and quoted to the model as data.",
      }),
    ),
  ),
  consent: Type.Optional(
    nullable(
      Type.Boolean({
        description:
          "Whether the visitor agreed to the agent's `consentText`. If the agent has one, a conversation starts only with `true`. The consent is stored with its time.",
      }),
    ),
  ),
  clientTools: Type.Optional(
    nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: maxClientTools,
        description:
          "Names of the client tools that the page can run. Those that the agent has enabled are offered to the model. Ignored without a `conversationToken`.",
      }),
    ),
  ),
  sessionId: Type.Optional(
    nullable(
      Type.String({
        maxLength: 200,
        description: "Any id that stays the same for an anonymous visitor. Rate limits count by it.",
      }),
    ),
  ),
  userId: identity("The visitor's id on your site. Agents with `requireIdentity` accept it only with `userHash`."),
  userEmail: identity("The visitor's email address. Form defaults can use it as `{{user.email}}`."),
  userName: identity("The visitor's name. Form defaults can use it as `{{user.name}}`."),
  userMetadata: Type.Optional(
    nullable(
      Type.Object(
        {},
        { additionalProperties: true, description: "Further facts about the visitor that templates can use" },
      ),
    ),
  ),
  metadata: Type.Optional(
    nullable(Type.Object({}, { additionalProperties: true, description: "Alternate spelling of `userMetadata`" })),
  ),
  userToken,
  userHash: Type.Optional(
    nullable(
      Type.String({
        maxLength: 128,
        description: "Hex HMAC-SHA256 of `userId`, keyed with the agent's identity secret. It proves the id alone.",
      }),
    ),
  ),
});
export type ChatRequest = Static<typeof ChatRequest>;

const tags = ["Chat"];
const params = Type.Object({ conversationId: Type.String({ description: "Id of the conversation" }) });
const stream = {
  description:
    "A stream of Server-Sent Events, ended by `message_stop`. Each event has an `id`, an `event` name, and one `data` line with the JSON of a `ChatEvent`. Comment lines every 15 s keep the connection open.",
  content: {
    "text/event-stream": {
      schema: Type.String({ contentMediaType: "text/event-stream", contentSchema: ref(ChatEventSchema) }),
      example:
        'id: msg_01jd3v7c4x:0\nevent: message_start\ndata: {"type":"message_start","conversationId":"conv_01jd3v7b2q","messageId":"msg_01jd3v7c4x","conversationToken":"…"}\n\n',
    },
  },
};

export const chat = {
  method: "POST",
  url: "/chat",
  config: { access: "visitor", crossOrigin: true },
  schema: {
    tags,
    summary: "Send a message and stream the reply",
    description:
      "A conversation that began with a `sessionId` or any user field belongs to that visitor. Continuing it requires its `conversationToken` as bearer token, an API key or session of the organization, or a `userToken` or `userHash` that proves its `userId`; otherwise the response is 404. A conversation that began without any of these can be continued by its id, but not regenerated. 409 `CONFLICT` means that a reply is still running. 409 `CONVERSATION_TOO_LONG` means that you need to start a new conversation. 403 `CONSENT_REQUIRED` means that the visitor has to agree to the agent's `consentText` first; send `consent: true` once they have.",
    body: ChatRequest,
    response: { 200: stream },
  },
} as const;

export const ConversationStart = Type.Object(
  {
    conversationId: Type.String(),
    conversationToken: Type.String({ description: "Opens the conversation, as the one in `message_start` does" }),
  },
  { $id: "ConversationStart" },
);
export type ConversationStart = Static<typeof ConversationStart>;

export const beginConversation = {
  method: "POST",
  url: "/conversations",
  config: { access: "visitor", crossOrigin: true },
  schema: {
    tags,
    summary: "Begin a conversation without a reply",
    description:
      "Stores messages without asking a model. Your page can then request a person for a visitor whose first message cannot be answered, such as after a 503 of `POST /chat`. The limits, the consent and the visitor's fields are those of `POST /chat`. With the `sessionId` and `messageKey` of a message that has already begun a conversation, the response is that conversation.",
    body: Type.Omit(ChatRequest, ["conversationId", "regenerate", "resumable", "clientTools"]),
    response: { 201: inEnvelope(ref(ConversationStart)) },
  },
} as const;

export const resumeChat = {
  method: "GET",
  url: "/chat/:conversationId/stream",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Resume the stream of the newest reply, after the event in `Last-Event-ID`",
    params,
    headers: Type.Object({
      "last-event-id": Type.Optional(
        Type.String({
          maxLength: 200,
          description: "Id of the last event received. Without it, the stream begins with the reply's first event.",
        }),
      ),
    }),
    response: { 200: stream },
  },
} as const;

export const stopChat = {
  method: "POST",
  url: "/chat/:conversationId/stop",
  config: { access: "conversation", crossOrigin: true },
  schema: { tags, summary: "Stop the running reply", params, response: { 200: inEnvelope(Success) } },
} as const;
