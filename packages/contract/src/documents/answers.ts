import Type, { type Static } from "typebox";
import { idParams, listOffset, nullable, Pagination, ref, stringEnum, Timestamp } from "../schema.ts";

/** Why a question counts as unanswered. */
export const unansweredReasons = ["nothing_found", "not_cited", "rated_down"] as const;
export type UnansweredReason = (typeof unansweredReasons)[number];

export const UnansweredQuestion = Type.Object(
  {
    id: Type.String({ description: "Identifies the group within the agent" }),
    question: Type.String({ description: "The most frequent wording" }),
    otherWordings: Type.Array(Type.String(), { description: "Up to 10 other wordings, most frequent first" }),
    count: Type.Integer({ description: "How often the questions were asked" }),
    reasons: Type.Object({
      nothingFound: Type.Integer({ description: "The search returned no passage" }),
      notCited: Type.Integer({ description: "The reply cites none of the passages that the search returned" }),
      ratedDown: Type.Integer({ description: "The visitor rated the reply down" }),
    }),
    lastAskedAt: Timestamp,
    conversationId: Type.String({ description: "The conversation in which a question of the group was last asked" }),
    messageId: Type.String({ description: "The reply to the most recent question" }),
  },
  {
    $id: "UnansweredQuestion",
    description:
      "A group of questions with the same words, regardless of their order, inflection and articles. Conversations that members start in the playground are not included.",
  },
);
export type UnansweredQuestion = Static<typeof UnansweredQuestion>;

export const UnansweredQuery = Type.Object({
  agentId: Type.String({ minLength: 1, description: "Id of the agent" }),
  reason: Type.Optional(stringEnum(unansweredReasons, "Counts only questions with this reason")),
  from: Type.Optional(
    Type.String({
      format: "date-or-date-time",
      description: "Start of the period: a date, or a date-time with a time zone",
    }),
  ),
  to: Type.Optional(
    Type.String({ format: "date-or-date-time", description: "End of the period. A date includes the whole day." }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 20. Values above 100 count as 100." })),
  offset: Type.Optional(listOffset),
});
export type UnansweredQuery = Static<typeof UnansweredQuery>;

export const DocumentUse = Type.Object(
  {
    conversationId: Type.String(),
    messageId: Type.String({ description: "The reply that cites the document" }),
    question: Type.String({ description: "Beginning of the visitor's message" }),
    at: Timestamp,
  },
  { $id: "DocumentUse", description: "A reply that cites a document" },
);
export type DocumentUse = Static<typeof DocumentUse>;

const tags = ["Documents"];
const config = { access: "account" } as const;

export const listUnansweredQuestions = {
  method: "GET",
  url: "/documents/unanswered",
  config,
  schema: {
    tags,
    summary: "List questions that an agent could not answer, the most recently asked first",
    description:
      "A question is unanswered when the search returned nothing, when the reply cites none of the passages found and no tool succeeded, or when the visitor rated the reply down. A group is removed from the list when it is dismissed or when an FAQ entry is created for it. If visitors still get no answer after the FAQ entry, the group returns.",
    querystring: UnansweredQuery,
    response: {
      200: Type.Object({ questions: Type.Array(ref(UnansweredQuestion)), pagination: Pagination }),
    },
  },
} as const;

export const dismissUnansweredQuestions = {
  method: "POST",
  url: "/documents/unanswered/dismiss",
  config,
  schema: {
    tags,
    summary: "Remove groups of unanswered questions from the list permanently",
    body: Type.Object({
      agentId: Type.String({ minLength: 1, description: "Id of the agent" }),
      ids: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 100,
        description: "Ids of the groups of questions",
      }),
    }),
    response: { 200: Type.Object({ dismissed: Type.Integer({ description: "Number of groups that exist" }) }) },
  },
} as const;

export const listDocumentUses = {
  method: "GET",
  url: "/documents/:id/uses",
  config,
  schema: {
    tags,
    summary: "List the replies that cite a document, newest first",
    description: "Replies in conversations that members start in the playground are not included.",
    params: idParams("document"),
    querystring: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 20. Values above 100 count as 100." })),
      offset: Type.Optional(listOffset),
    }),
    response: { 200: Type.Object({ uses: Type.Array(ref(DocumentUse)), pagination: Pagination }) },
  },
} as const;

export const FoundPassage = Type.Object({
  n: Type.Integer({ minimum: 1, description: "The number that the reply cites as `[n]`" }),
  documentId: nullable(Type.String({ description: "`null` in replies of earlier versions" })),
  title: Type.String({ description: "Title of the document" }),
  heading: nullable(Type.String()),
  url: nullable(Type.String()),
  page: nullable(Type.Integer({ description: "Page number in the file, from 1" })),
  snippet: Type.String({ description: "Beginning of the passage" }),
  score: nullable(Type.Number({ description: "Only for comparing the passages of one search" })),
  matched: Type.Array(Type.String(), { description: "Words of the queries that the passage contains, at most 16" }),
  isCited: Type.Boolean({ description: "Also true if the document's citations are hidden from visitors" }),
});
export type FoundPassage = Static<typeof FoundPassage>;

export const ReplySearch = Type.Object(
  {
    kind: stringEnum(
      ["search", "prompt"],
      "`prompt`: the documents are few enough to be part of the prompt, so nothing was searched.",
    ),
    queries: Type.Array(Type.String()),
    ms: nullable(Type.Integer({ description: "Duration of the search in milliseconds" })),
    isError: Type.Boolean({ description: "Whether the search failed" }),
    passages: Type.Array(FoundPassage, {
      description: "What the model received, best first. With `prompt`, only the passages that the reply cites.",
    }),
    total: Type.Integer({ description: "Number of passages that the model received" }),
  },
  { $id: "ReplySearch", description: "The document passages that a reply received in one step" },
);
export type ReplySearch = Static<typeof ReplySearch>;
