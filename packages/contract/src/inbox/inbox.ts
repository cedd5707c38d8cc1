import Type, { type Static, type TSchema } from "typebox";
import { MessageAttachment, memberAttachmentIds } from "../attachments/attachments.ts";
import { Message, MessagePreview } from "../conversations/conversation.ts";
import { handlers, handoffLimits, Ownership, Person } from "../handoff/handoff.ts";
import { maxInboxTotal } from "../rules/limits.ts";
import { idParams, inEnvelope, nullable, ref, refOrNull, Success, stringEnum, Timestamp } from "../schema.ts";
import { ReplyActions } from "./canned-replies.ts";

const tags = ["Inbox"];
const conversation = idParams("conversation");
const session = { access: "session" } as const;

export const sendMemberMessage = {
  method: "POST",
  url: "/conversations/:id/messages",
  config: { access: "session", idempotent: true },
  schema: {
    tags,
    summary: "Write to the visitor",
    description:
      "Takes the conversation over first. If another member has it, the response is 409. With `actions`, the message and the actions are stored together: if an action names a tag, member or team that no longer exists, nothing is sent.",
    params: conversation,
    body: Type.Object({
      content: Type.String({
        maxLength: handoffLimits.message,
        description: "Markdown. It can be empty beside `attachments`.",
      }),
      attachments: memberAttachmentIds,
      actions: Type.Optional(nullable(ReplyActions)),
    }),
    response: { 201: inEnvelope(ref(Message)) },
  },
} as const;

export const reportTyping = {
  method: "POST",
  url: "/conversations/:id/typing",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Report that the visitor or a member is typing. A report expires after five seconds.",
    description:
      "Repeat the report every three seconds while they type. The visitor sees when the member who has the conversation is typing, and the team sees when anyone is. API keys get 403, because they belong to no person.",
    params: conversation,
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const reportSeen = {
  method: "POST",
  url: "/conversations/:id/seen",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Report that the visitor has seen the messages of the conversation",
    description:
      "Call it when the page shows a message of a person. Such a message is then not sent to the visitor by email. A signed-in member gets 403, because this is about the visitor; `POST /conversations/{id}/read` marks a conversation as read for the team.",
    params: conversation,
    body: Type.Object({
      messageId: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            description: "Id of the last message that was shown. Without it, all messages so far count as seen.",
          }),
        ),
      ),
    }),
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const draftReply = {
  method: "POST",
  url: "/conversations/:id/draft",
  config: session,
  schema: {
    tags,
    summary: "Let the agent draft an answer for a member. Nothing is stored or sent.",
    params: conversation,
    body: nullable(Type.Object({ attachments: memberAttachmentIds })),
    response: { 200: inEnvelope(Type.Object({ text: Type.String() })) },
  },
} as const;

const conversationLiveEvents = [
  Type.Object({ type: Type.Literal("ownership"), ownership: ref(Ownership) }),
  Type.Object({ type: Type.Literal("message"), message: ref(Message) }),
  Type.Object({ type: Type.Literal("typing"), person: ref(Person) }),
] as const;
export type ConversationLiveEvent = Static<(typeof conversationLiveEvents)[number]>;

/** Sent to the visitor's widget while they wait for a person or talk to one. */
export const ConversationLiveEvent = Type.Unsafe<ConversationLiveEvent>({
  $id: "ConversationLiveEvent",
  description:
    "The stream begins with `ownership` and the messages after `Last-Event-ID`, or the newest 50 without it. While the agent has the conversation, the stream sends only the missed messages and `ownership`, and then ends. It also ends after an `ownership` that returns the conversation to the agent. A message can be sent twice, so identify messages by their id.",
  anyOf: conversationLiveEvents,
});

/** A change of a conversation in the live inbox. */
export const InboxChange = Type.Object(
  {
    conversationId: Type.String(),
    agentId: Type.String(),
    title: Type.String(),
    visitor: nullable(Type.String({ description: "The visitor's name or address" })),
    ownership: ref(Ownership),
    lastMessage: nullable(
      Type.Object({
        id: Type.String(),
        author: stringEnum(["agent", "visitor", "member"]),
        text: Type.String(),
        at: Timestamp,
      }),
    ),
  },
  { $id: "InboxChange" },
);
export type InboxChange = Static<typeof InboxChange>;

/** A conversation in which something happened, with the agent or a person, and the data that a list row shows. */
export const ConversationActivity = Type.Object(
  {
    conversationId: Type.String(),
    agentId: Type.String(),
    title: Type.String(),
    visitor: nullable(Type.String({ description: "The visitor's name or address" })),
    isTest: Type.Boolean({ description: "Whether a signed-in member started the conversation" }),
    handler: stringEnum(handlers),
    messageCount: Type.Integer(),
    lastMessage: Type.Unsafe<MessagePreview | null>({
      anyOf: [MessagePreview, { type: "null" }],
      description: "The newest message that has text",
    }),
    createdAt: Timestamp,
  },
  { $id: "ConversationActivity" },
);
export type ConversationActivity = Static<typeof ConversationActivity>;

const Presence = Type.Object({ ...Person.properties, isPresent: Type.Boolean(), isAway: Type.Boolean() });

const inboxTotal = Type.Integer({ description: `At most ${maxInboxTotal}, which means that there may be more` });

const inboxEventKinds = [
  Type.Object({ type: Type.Literal("conversation"), change: ref(InboxChange) }),
  Type.Object({ type: Type.Literal("removed"), conversationId: Type.String() }),
  Type.Object({
    type: Type.Literal("activity"),
    conversations: Type.Array(ref(ConversationActivity)),
    hasMore: Type.Boolean({ description: "Whether anything else may have happened. Read your lists again." }),
  }),
  Type.Object({
    type: Type.Literal("typing"),
    conversationId: Type.String(),
    by: stringEnum(["visitor", "member"]),
    person: refOrNull(Person),
  }),
  Type.Object({ type: Type.Literal("presence"), members: Type.Array(Presence) }),
  Type.Object({
    type: Type.Literal("counts"),
    waiting: Type.Integer(),
    mine: Type.Integer(),
    unread: inboxTotal,
    open: inboxTotal,
    snoozed: inboxTotal,
    resolved: inboxTotal,
  }),
] as const;
export type InboxEvent = Static<(typeof inboxEventKinds)[number]>;

/** Sent to members who have the inbox open. */
export const InboxEvent = Type.Unsafe<InboxEvent>({
  $id: "InboxEvent",
  description:
    "The stream begins with `counts` and `presence`. With `Last-Event-ID`, it continues with the conversations that changed since that event, at most the newest 2,000. `removed` names a deleted conversation. `activity` lists up to 50 conversations with something new, also those that only the agent handles: a new conversation, a message, a finished reply, a rating or a form submission. The server collects them for a quarter of a second. Activity is not repeated after a reconnection, which therefore brings one with `hasMore`. Events describe states, so one that arrives twice changes nothing. `presence` lists the members; `isPresent` tells whether a member used the inbox or answered in the last five minutes and is not away, `isAway` whether they said to be away.",
  anyOf: inboxEventKinds,
});

const eventHeaders = Type.Object({
  "last-event-id": Type.Optional(Type.String({ maxLength: 200, description: "Id of the last event received" })),
});
const eventStream = (event: typeof ConversationLiveEvent | typeof InboxEvent, example: string) => ({
  description: `A stream of Server-Sent Events. Each event has an \`id\`, an \`event\` name, and one \`data\` line with JSON of the schema \`${Reflect.get(event, "$id")}\`. Comment lines every 15 s keep the connection open. The server ends a stream from time to time; reconnect with the last \`id\` as \`Last-Event-ID\`.`,
  content: {
    "text/event-stream": {
      schema: Type.String({ contentMediaType: "text/event-stream", contentSchema: ref(event as TSchema) }),
      example,
    },
  },
});

export const conversationEvents = {
  method: "GET",
  url: "/conversations/:id/events",
  config: { access: "conversation", crossOrigin: true },
  schema: {
    tags,
    summary: "Follow a conversation while the visitor waits for a person or talks to one",
    params: conversation,
    querystring: Type.Object({
      visible: Type.Optional(
        Type.Boolean({
          description:
            "`false` if the visitor cannot see the messages, such as in a tab in the background. By default, a `Last-Event-ID` confirms that the visitor has seen the messages up to it, which are then not emailed.",
        }),
      ),
    }),
    headers: eventHeaders,
    response: {
      200: eventStream(
        ConversationLiveEvent,
        'id: 2:14\nevent: typing\ndata: {"type":"typing","person":{"name":"Ada","initials":"A"}}\n\n',
      ),
    },
  },
} as const;

export const inboxEvents = {
  method: "GET",
  url: "/inbox/events",
  config: session,
  schema: {
    tags,
    summary: "Follow the inbox: waiting and taken conversations, activity in all others, typing, presence and counts",
    querystring: Type.Object({
      active: Type.Optional(
        Type.Boolean({
          description:
            "Whether the member uses the inbox at the moment: `false` for a tab in the background. By default, a new connection counts as use, unless the member was connected within the last 30 seconds.",
        }),
      ),
    }),
    headers: eventHeaders,
    response: {
      200: eventStream(
        InboxEvent,
        'id: 1781000000000\nevent: counts\ndata: {"type":"counts","waiting":2,"mine":1,"unread":4,"open":12,"snoozed":3,"resolved":1000}\n\n',
      ),
    },
  },
} as const;

export const updatePresence = {
  method: "POST",
  url: "/inbox/presence",
  config: session,
  schema: {
    tags,
    summary: "Report that you use the inbox, and set whether you are away",
    description:
      "A member is present for five minutes after each report, while the inbox is followed, and after each message to a visitor. Teams assign conversations automatically to members who are present and not away. Report at most once a minute.",
    body: Type.Object({
      isAway: Type.Optional(nullable(Type.Boolean({ description: "Stays set until you change it" }))),
    }),
    response: { 200: inEnvelope(Type.Object({ isAway: Type.Boolean() })) },
  },
} as const;

/** The maximum number of notes of a conversation. */
export const maxNotes = 200;

/** The maximum number of members whom a note mentions. */
export const maxMentions = 10;

/** A note for the team about a conversation. It is never shown to visitors or the model. */
export const ConversationNote = Type.Object(
  {
    id: Type.String(),
    conversationId: Type.String(),
    author: ref(Person),
    text: Type.String(),
    mentions: Type.Array(ref(Person), { description: "The members whom the text mentions" }),
    attachments: Type.Array(ref(MessageAttachment), { description: "The pictures and files of the note" }),
    createdAt: Timestamp,
  },
  {
    $id: "ConversationNote",
    description:
      "An internal note. The author's name is the member's name when the note was written, or the name of the API key, without a `userId`.",
  },
);
export type ConversationNote = Static<typeof ConversationNote>;

export const listNotes = {
  method: "GET",
  url: "/conversations/:id/notes",
  config: { access: "account" },
  schema: {
    tags,
    summary: "List the internal notes of a conversation, oldest first",
    params: conversation,
    response: { 200: inEnvelope(Type.Array(ref(ConversationNote))) },
  },
} as const;

export const createNote = {
  method: "POST",
  url: "/conversations/:id/notes",
  config: { access: "account", idempotent: true },
  schema: {
    tags,
    summary: "Add an internal note. It is never sent to the visitor or the model.",
    description: `A conversation can have up to ${maxNotes} notes. \`@\` and the name of a member, or a first name that only one member has, mentions the member, who is notified by email and in browsers like of an assignment. A note mentions at most ${maxMentions} members.`,
    params: conversation,
    body: Type.Object({
      text: Type.String({
        maxLength: handoffLimits.note,
        description: "Plain text. It can be empty beside `attachments`.",
      }),
      attachments: memberAttachmentIds,
    }),
    response: { 201: inEnvelope(ref(ConversationNote)) },
  },
} as const;

export const deleteNote = {
  method: "DELETE",
  url: "/conversations/:id/notes/:noteId",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Delete an internal note",
    params: Type.Object({
      id: Type.String({ description: "Id of the conversation" }),
      noteId: Type.String({ description: "Id of the note" }),
    }),
    response: { 200: inEnvelope(Success) },
  },
} as const;
