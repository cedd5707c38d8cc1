import Type, { type Static } from "typebox";
import { searchTextLimits } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { nullable, stringEnum } from "../schema.ts";

export const DocumentSearch = Type.Object({
  agentId: Type.String({ minLength: 1, description: "Id of the agent" }),
  query: Type.String({
    minLength: 1,
    maxLength: searchTextLimits.passages,
    pattern: textPatterns.notBlank,
    description: "Question or words to search for",
  }),
  limit: Type.Optional(
    nullable(Type.Integer({ minimum: 1, description: "Defaults to 6. Values above 50 count as 50." })),
  ),
});

export const DocumentHit = Type.Object({
  documentId: Type.String(),
  title: Type.String(),
  url: nullable(Type.String()),
  page: nullable(Type.Integer()),
  heading: nullable(Type.String()),
  text: Type.String(),
  score: Type.Number({ description: "Only for comparing the hits of one search" }),
  matched: Type.Array(Type.String(), { description: "Words of the query that the passage contains" }),
  matchedBy: stringEnum(
    ["words", "meaning", "both"],
    "Whether the passage was found by its words, by its meaning (with an embedding model), or by both",
  ),
});
export type DocumentHit = Static<typeof DocumentHit>;

export const searchDocuments = {
  method: "POST",
  url: "/documents/search",
  config: { access: "account" },
  schema: {
    tags: ["Documents"],
    summary: "Search an agent's documents the way the agent does",
    body: DocumentSearch,
    response: { 200: Type.Object({ hits: Type.Array(DocumentHit), ms: Type.Number() }) },
  },
} as const;
