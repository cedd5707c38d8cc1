import Type, { type Static } from "typebox";
import { MessageAttachment } from "../attachments/attachments.ts";
import { ReplySearch } from "../documents/answers.ts";
import { VisitorForm } from "../forms/form.ts";
import { AnswerEmail, Author, HandoffRecord, handlers, Ownership } from "../handoff/handoff.ts";
import { searchTextLimits } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { listOffset, nullable, ref, refOrNull, stringEnum, Timestamp, withDescription } from "../schema.ts";
import { MessagePage } from "../visitors/page.ts";
import { VerifiedVisitor, VisitorIdentity } from "../visitors/visitor-identity.ts";
import { ConversationRating } from "./conversation-rating.ts";
import { costSums } from "./cost.ts";
import { ReplyNotice } from "./notices.ts";
import { ReplyFailure } from "./reply-failure.ts";
import { ConversationTag } from "./tags.ts";
import { Usage } from "./usage.ts";

export const stopReasons = [
  "end_turn",
  "max_steps",
  "max_tokens",
  "content_filter",
  "error",
  "aborted",
  "handed_over",
] as const;
export type StopReason = (typeof stopReasons)[number];

export const Rating = stringEnum(["up", "down"]);
export type Rating = Static<typeof Rating>;

/** A tool call as it is stored with its message. */
export const ToolCall = Type.Object({
  id: Type.String(),
  name: Type.String(),
  label: nullable(Type.String({ description: "What visitors read in place of the tool's name" })),
  toolId: nullable(Type.String()),
  executionType: nullable(Type.String()),
  input: Type.Unknown(),
  result: Type.Unknown(),
  isError: Type.Boolean(),
  forModel: Type.Optional(
    nullable(Type.String({ description: "What the model received. Only sent to members and API keys." })),
  ),
  display: Type.Unknown({
    description: "The display that the visitor saw, as in `tool_result`. `null` if there was none.",
  }),
  form: nullable(VisitorForm),
  textBefore: Type.Integer({ description: "Length of the text before the call, in UTF-16 code units of `content`" }),
});
export type ToolCall = Static<typeof ToolCall>;

/** A passage of a document, cited by a reply. */
export const Source = Type.Object(
  {
    n: Type.Integer({ minimum: 1, description: "The number that the reply cites as `[n]`" }),
    title: Type.String({ description: "Title of the document" }),
    url: nullable(Type.String({ description: "`null` if the document has no URL or shows only its title" })),
    page: nullable(Type.Integer({ description: "Page number in the file, from 1" })),
    snippet: Type.String({ description: "Beginning of the passage" }),
  },
  { $id: "Source" },
);
export type Source = Static<typeof Source>;

/** Limits of the follow-up questions of a reply. */
export const followUpLimits = { questions: 3, characters: 80 } as const;

export const FollowUps = Type.Array(Type.String({ maxLength: followUpLimits.characters }), {
  maxItems: followUpLimits.questions,
  description: "Follow-up questions, as plain text in the visitor's words",
});

/** Limits of the hosts that are stored with a message because links to them were removed. */
export const removedLinkLimits = { hosts: 10, characters: 253 } as const;

export const Message = Type.Object(
  {
    id: Type.String(),
    role: stringEnum(["user", "assistant"]),
    author: ref(Author),
    content: Type.String(),
    isSupplied: Type.Optional(
      Type.Boolean({
        description:
          "`true` if a client sent this message in the agent's name, with the history of a new conversation. The agent did not write it. Requests with the token of an email's link do not get such messages.",
      }),
    ),
    createdAt: Timestamp,
    page: Type.Optional(
      Type.Unsafe<MessagePage | null>({
        anyOf: [ref(MessagePage), { type: "null" }],
        description: "The page from which the visitor sent the message. Only sent to members and API keys.",
      }),
    ),
    attachments: Type.Array(ref(MessageAttachment), { description: "The pictures and files of the message" }),
    notices: Type.Array(ref(ReplyNotice), { description: "What the visitor was told about the reply" }),
    toolCalls: Type.Array(ToolCall),
    sources: Type.Array(ref(Source), { description: "The passages of documents that the message cites" }),
    suggestions: FollowUps,
    searches: Type.Optional(
      Type.Array(ref(ReplySearch), {
        description:
          "The searches of the documents, with the passages that they found. Only sent to members and API keys.",
      }),
    ),
    removedLinks: Type.Optional(
      Type.Array(Type.Object({ host: Type.String({ maxLength: removedLinkLimits.characters }) }), {
        maxItems: removedLinkLimits.hosts,
        description:
          "The hosts to which links or email addresses were removed from the message, because the agent's owner has not named them. `linkHosts` of the agent allows a host. Only sent to members and API keys.",
      }),
    ),
    feedback: nullable(Rating),
    feedbackComment: Type.Optional(
      nullable(
        Type.String({
          description: "What the visitor wrote with the rating. Only sent to members and API keys.",
        }),
      ),
    ),
    stopReason: nullable(
      stringEnum(
        stopReasons,
        "How the reply ended. Replies with `error`, `aborted` or `handed_over` are partial: `handed_over` means that a member of the team took the conversation over. `null` while the reply is running.",
      ),
    ),
    failure: Type.Optional(
      Type.Unsafe<ReplyFailure | null>({
        anyOf: [ref(ReplyFailure), { type: "null" }],
        description: "Why the reply failed. Only sent to members and API keys.",
      }),
    ),
    model: Type.Optional(
      nullable(
        Type.String({
          description:
            "Id of the model that wrote the last step of the reply. `null` if no model was called. Only sent to members and API keys.",
        }),
      ),
    ),
    fallbackFrom: Type.Optional(
      nullable(
        Type.String({
          description:
            "Id of the agent's own model, if it failed and another one answered. Only sent to members and API keys.",
        }),
      ),
    ),
    agentVersion: Type.Optional(
      nullable(
        Type.Integer({
          description:
            "The version of the agent that wrote the reply. `null` for replies to members, which are written with the draft. Only sent to members and API keys.",
        }),
      ),
    ),
    usage: Type.Optional(
      Type.Unsafe<Usage | null>({
        anyOf: [Usage, { type: "null" }],
        description: "The tokens of the reply, if the provider counted them. Only sent to members and API keys.",
      }),
    ),
    cost: Type.Optional(
      nullable(
        Type.Number({
          description:
            "What the reply cost, in the organization's currency, at the prices of that moment. `null` if a price is unknown. Only sent to members and API keys.",
        }),
      ),
    ),
  },
  { $id: "Message" },
);
export type Message = Static<typeof Message>;

/** Where the visitor was when the conversation started. */
export const ConversationContext = Type.Object({
  page: nullable(Type.String({ description: "URL of the page without its fragment" })),
  referrer: nullable(Type.String()),
  device: nullable(stringEnum(["desktop", "mobile", "tablet"])),
  language: nullable(Type.String({ description: "Language tag (BCP 47), such as `de-CH`" })),
  country: nullable(
    Type.String({ description: "Country code (ISO 3166-1) from the proxy header that `FOYER_COUNTRY_HEADER` names" }),
  ),
});
export type ConversationContext = Static<typeof ConversationContext>;

export const MessagePreview = Type.Object({
  role: stringEnum(["user", "assistant"]),
  text: Type.String({ description: "The first 160 characters, on one line" }),
  at: Timestamp,
});
export type MessagePreview = Static<typeof MessagePreview>;

/** Whether the team still has something to do in a conversation. */
export const conversationStatuses = ["open", "resolved", "snoozed"] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];

const statusFields = {
  status: stringEnum(
    conversationStatuses,
    "`resolved`: nothing is left to do. `snoozed`: it opens again at `snoozedUntil`. A message of the visitor opens both.",
  ),
  snoozedUntil: nullable(Timestamp),
  resolvedAt: nullable(Timestamp),
};

/** The status of a conversation, and who has it. */
export const ConversationStanding = Type.Object(
  { ...statusFields, ...Ownership.properties },
  { $id: "ConversationStanding" },
);
export type ConversationStanding = Static<typeof ConversationStanding>;

const conversationFields = {
  id: Type.String(),
  agentId: Type.String(),
  title: Type.String(),
  messageCount: Type.Integer(),
  userId: nullable(Type.String()),
  userEmail: nullable(Type.String()),
  userName: nullable(Type.String()),
  userVerified: Type.Boolean({
    description:
      "Whether a `userToken` or `userHash` proved `userId`. `userEmail` and `userName` are proven if `visitor` contains them.",
  }),
  identity: VisitorIdentity,
  isTest: Type.Boolean({
    description:
      "Whether a signed-in member started the conversation, such as in the dashboard's playground. Analytics leave it out.",
  }),
  context: Type.Unsafe<ConversationContext | null>({
    anyOf: [ConversationContext, { type: "null" }],
    description: "`null` when nothing is known",
  }),
  ...Ownership.properties,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

const VisitorKey = nullable(
  Type.String({
    description:
      "A keyed pseudonym of the visitor, for `GET /visitors/:key`; the same in all of their conversations. `null` if nothing is known about the visitor. Only sent to members and API keys.",
  }),
);

export const ConversationSummary = Type.Object(
  {
    ...conversationFields,
    ...statusFields,
    visitorKey: Type.Optional(VisitorKey),
    hasForm: Type.Boolean({ description: "Whether a form was submitted in the conversation" }),
    feedback: nullable(withDescription(Rating, { description: "Rating of the newest rated message" })),
    rating: Type.Optional(
      refOrNull(ConversationRating, { description: "The visitor's rating of the whole conversation, if there is one" }),
    ),
    lastMessage: Type.Unsafe<MessagePreview | null>({
      anyOf: [MessagePreview, { type: "null" }],
      description: "The newest message that has text",
    }),
    isUnread: Type.Boolean({
      description: "Whether a message arrived since a member last read the conversation; `false` for test chats",
    }),
    ...costSums,
    match: Type.Optional(
      nullable(
        Type.String({
          description:
            "Only with `q`: an excerpt around the match in the first matching message, at most 200 characters. `null` if only the title matches.",
        }),
      ),
    ),
    hasFailedReply: Type.Boolean({ description: "Whether at least one reply ended with an error" }),
    tags: Type.Array(ref(ConversationTag), { description: "By name" }),
  },
  { $id: "ConversationSummary" },
);
export type ConversationSummary = Static<typeof ConversationSummary>;

const Consent = Type.Object({
  at: Timestamp,
  text: Type.String({ description: "The agent's `consentText` at that time" }),
});

export const Conversation = Type.Object(
  {
    ...conversationFields,
    visitor: Type.Optional(
      Type.Unsafe<VerifiedVisitor | null>({
        anyOf: [ref(VerifiedVisitor), { type: "null" }],
        description: "What the visitor proved. Only sent to members and API keys.",
      }),
    ),
    visitorKey: Type.Optional(VisitorKey),
    userMetadata: Type.Optional(
      Type.Unsafe<Record<string, unknown> | null>({
        type: ["object", "null"],
        additionalProperties: true,
        description: "Further facts that the page sent without a proof. Only sent to members and API keys.",
      }),
    ),
    consent: Type.Unsafe<Static<typeof Consent> | null>({
      anyOf: [Consent, { type: "null" }],
      description: "The consent that the visitor gave before the first message",
    }),
    handoffs: Type.Optional(
      Type.Array(ref(HandoffRecord), {
        description: "The newest 100 requests for a person, oldest first. Only sent to members and API keys.",
      }),
    ),
    answerEmails: Type.Optional(
      Type.Array(ref(AnswerEmail), {
        description: "The newest 100 emails with members' answers, oldest first. Only sent to members and API keys.",
      }),
    ),
    tags: Type.Optional(
      Type.Array(ref(ConversationTag), { description: "By name. Only sent to members and API keys." }),
    ),
    ...Type.Partial(Type.Object(statusFields)).properties,
    readAt: Type.Optional(
      nullable(
        Type.String({
          format: "date-time",
          description:
            "When a member last read the conversation; `null` if none did. Only sent to members and API keys.",
        }),
      ),
    ),
    rating: Type.Optional(
      refOrNull(ConversationRating, {
        description: "The visitor's rating of the whole conversation. Only sent to members and API keys.",
      }),
    ),
    cost: Type.Optional(
      Type.Number({
        description:
          "What the replies cost, in the organization's currency, without `unknownCostReplies`. Only sent to members and API keys.",
      }),
    ),
    unknownCostReplies: Type.Optional(
      Type.Integer({
        description:
          "Replies whose cost is not part of `cost`, because a price is unknown. Only sent to members and API keys.",
      }),
    ),
    messages: Type.Array(ref(Message)),
  },
  { $id: "Conversation" },
);
export type Conversation = Static<typeof Conversation>;

/** The service clamps `limit` to the maximum, so the schema only requires a positive integer. */
export const ConversationQuery = Type.Object({
  agentId: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Id of the agent. Required unless `handler` is `waiting` or `human`, or there is a `status`, a `team`, a `view`, a `rating` or `unread=true`.",
    }),
  ),
  handler: Type.Optional(
    stringEnum(
      handlers,
      "Only conversations in which the visitor is waiting for a person, longest wait first; those that a member of the team has, most recent change first; or those that the agent has, newest first. Without `agentId`, those of all agents. `agent` requires `agentId`.",
    ),
  ),
  status: Type.Optional(
    stringEnum(
      conversationStatuses,
      "Only conversations that are open, resolved or snoozed. Without `agentId`, those of all agents.",
    ),
  ),
  assignee: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Only conversations that this member has: a user id, `me`, or `none`",
    }),
  ),
  sort: Type.Optional(
    stringEnum(
      ["activity"],
      "`activity`: the conversation with the most recent message first. Without it, the newest conversation first, or the order that `handler` describes.",
    ),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 20. Values above 100 count as 100." })),
  offset: Type.Optional(listOffset),
  after: Type.Optional(
    Type.String({
      maxLength: 60,
      description:
        "The `cursor` of the previous page, with `sort=activity` and without `offset`. Conversations that move to the top in the meantime then do not shift the pages.",
    }),
  ),
  unread: Type.Optional(
    Type.Boolean({ description: "Whether a message arrived since a member last read the conversation" }),
  ),
  userId: Type.Optional(Type.String({ description: "Only conversations with this `userId`" })),
  q: Type.Optional(
    Type.String({
      maxLength: searchTextLimits.conversations,
      description:
        "Text to find in the title or in a message. `pagination.total` then counts at most 1,000 conversations.",
    }),
  ),
  feedback: Type.Optional(stringEnum(["up", "down"], "Only conversations with a message that has this rating")),
  rating: Type.Optional(
    Type.String({
      pattern: textPatterns.ratingFilter,
      maxLength: 9,
      description:
        "Only conversations that the visitor rated as a whole with one of these ratings, such as `1,2`; with `any` rating; or with `none`. `agentId` is then not required.",
    }),
  ),
  hasForm: Type.Optional(Type.Boolean({ description: "Whether a form was submitted in the conversation" })),
  failed: Type.Optional(Type.Boolean({ description: "Whether a reply ended with an error" })),
  test: Type.Optional(Type.Boolean({ description: "Whether a member started the conversation to test the agent" })),
  tag: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Only conversations with the tag that has this id" }),
  ),
  team: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Only conversations of the team with this id. `agentId` is then not required.",
    }),
  ),
  from: Type.Optional(
    Type.String({
      format: "date-or-date-time",
      description: "Earliest start: a date, or a date-time with a time zone",
    }),
  ),
  to: Type.Optional(
    Type.String({ format: "date-or-date-time", description: "Latest start. A date includes the whole day." }),
  ),
  view: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        "Id of a saved view (`/inbox/views`), whose filters and order apply where the request has none of its own. `agentId` is then not required.",
    }),
  ),
  format: Type.Optional(
    stringEnum(
      ["json", "csv"],
      "`csv` returns every match as a file, the newest conversation first, and ignores `sort`, `limit`, `offset` and `after`.",
    ),
  ),
});
export type ConversationQuery = Static<typeof ConversationQuery>;
