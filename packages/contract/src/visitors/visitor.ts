import Type, { type Static } from "typebox";
import { clearable, nullable, ref, Timestamp, withDescription } from "../schema.ts";

const identifier = {
  userId: Type.String({ minLength: 1, maxLength: 320, description: "The `userId` of their chats" }),
  email: Type.String({
    minLength: 1,
    maxLength: 320,
    description: "The `userEmail` of their chats, or an address in their form submissions, in any letter case",
  }),
  sessionId: Type.String({ minLength: 1, maxLength: 200, description: "The `sessionId` of their chats" }),
  conversationId: Type.String({ minLength: 1, maxLength: 200, description: "One of their conversations" }),
};

/** The identifier of a visitor. Exactly one field is given, which the service checks. */
export const VisitorIdentifier = Type.Partial(Type.Object(identifier));
export type VisitorIdentifier = Static<typeof VisitorIdentifier>;

const EraseVisitor = Type.Object({
  ...identifier,
  dryRun: Type.Boolean({ description: "Only count what would be erased" }),
});

/** The kinds of data that Foyer stores about visitors. */
export const visitorDataKinds = [
  "conversations",
  "messages",
  "handoffs",
  "notes",
  "unansweredQuestions",
  "submissions",
  "files",
  "attachments",
  "deliveries",
  "events",
  "triggerEvents",
  "tokenCounters",
  "agentTests",
] as const;
export type VisitorDataKind = (typeof visitorDataKinds)[number];

export const VisitorCounts = Type.Object(
  {
    conversations: Type.Integer(),
    messages: Type.Integer({ description: "Messages and replies, with their tool calls and results" }),
    handoffs: Type.Integer({ description: "Requests for a person, with the address that the visitor left" }),
    notes: Type.Integer({ description: "Internal notes of members about the conversations" }),
    unansweredQuestions: Type.Integer(),
    submissions: Type.Integer(),
    files: Type.Integer({ description: "Files in the submissions" }),
    attachments: Type.Integer({ description: "Pictures and files in the messages" }),
    deliveries: Type.Integer({
      description:
        "Webhooks and emails of the submissions, notices about the conversations, and events sent to webhooks, with the stored responses",
    }),
    events: Type.Integer({ description: "Events for webhooks and the event feed" }),
    triggerEvents: Type.Integer(),
    tokenCounters: Type.Integer({ description: "Daily token counters of the visitor" }),
    agentTests: Type.Integer({ description: "Tests of agents that were kept from the conversations" }),
  },
  { $id: "VisitorCounts", description: "Stored rows by kind" },
);
export type VisitorCounts = Static<typeof VisitorCounts>;

const Receivers = Type.Array(Type.String(), {
  description:
    "The hosts of webhooks and team chats, and the mail recipients, to which the data was sent. Ask them to erase it as well.",
});

export const VisitorData = Type.Object({ counts: ref(VisitorCounts), receivers: Receivers }, { $id: "VisitorData" });
export type VisitorData = Static<typeof VisitorData>;

export const ErasureReceipt = Type.Object(
  {
    id: nullable(Type.String({ description: "`null` for a dry run" })),
    erasedAt: nullable(withDescription(Timestamp, { description: "`null` for a dry run" })),
    counts: ref(VisitorCounts),
    identifierHash: Type.String({
      description: "Keyed hash of the identifier, which proves whom the receipt is about",
    }),
    receivers: Receivers,
  },
  { $id: "ErasureReceipt" },
);
export type ErasureReceipt = Static<typeof ErasureReceipt>;

const tags = ["Visitors"];
const config = { access: "account" } as const;

export const getVisitorData = {
  method: "GET",
  url: "/visitors/data",
  config,
  schema: {
    tags,
    summary: "Count what is stored about a visitor, by kind",
    querystring: VisitorIdentifier,
    response: { 200: ref(VisitorData) },
  },
} as const;

export const exportVisitorData = {
  method: "GET",
  url: "/visitors/export",
  config,
  schema: {
    tags,
    summary: "Download what is stored about a visitor",
    description:
      "A ZIP file with one JSON file per kind of data, and the files that the visitor submitted. The audit log records each export.",
    querystring: VisitorIdentifier,
    response: {
      200: {
        description: "A ZIP file",
        content: { "application/zip": { schema: Type.Unsafe<unknown>({ description: "The bytes of the file" }) } },
      },
    },
  },
} as const;

export const eraseVisitor = {
  method: "POST",
  url: "/visitors/erase",
  config,
  schema: {
    tags,
    summary: "Erase what is stored about a visitor, and get a receipt",
    description:
      "The data is overwritten in the database, and erased again from backups when they are restored. The receipt is also in the audit log. Call it again if it fails halfway: what was erased stays erased.",
    body: clearable(Type.Partial(EraseVisitor)),
    response: { 200: ref(ErasureReceipt) },
  },
} as const;
