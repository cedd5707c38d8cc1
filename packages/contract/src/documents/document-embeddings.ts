import Type, { type Static } from "typebox";
import { nullable, ref, stringEnum, Timestamp } from "../schema.ts";

export const DocumentEmbeddings = Type.Object(
  {
    model: nullable(Type.String({ description: "The organization's embedding model. `null`: search by words only." })),
    state: stringEnum(
      ["off", "embedding", "ready", "failing"],
      "`embedding`: some passages have no vectors yet. Until an agent's passages all have vectors, it is searched by words, or with the previous model's vectors.",
    ),
    passages: Type.Integer({ description: "Passages that can be found" }),
    vectors: Type.Integer({ description: "Passages with a vector of this model" }),
    skipped: Type.Integer({ description: "Passages that the provider rejected. They are found only by words." }),
    tokens: Type.Integer({ description: "Tokens used to embed the passages with this model" }),
    oversizedAgentIds: Type.Array(Type.String(), {
      description:
        "Agents with more passages than a search can compare by meaning, about 1.1 million at 1,024 dimensions. They are searched by words. At most 100 are listed.",
    }),
    error: nullable(
      Type.Object(
        { message: Type.String(), at: Timestamp },
        { description: "The newest failure that has not been resolved. Searches use words until then." },
      ),
    ),
    suggestions: Type.Array(Type.String(), {
      description: "Embedding models of the configured providers. Others can be set by `provider/name`.",
    }),
  },
  { $id: "DocumentEmbeddings" },
);
export type DocumentEmbeddings = Static<typeof DocumentEmbeddings>;

const tags = ["Documents"];
const config = { access: "account" } as const;

export const getDocumentEmbeddings = {
  method: "GET",
  url: "/documents/embeddings",
  config,
  schema: {
    tags,
    summary: "Read the embedding model and how many passages have vectors",
    querystring: Type.Object({
      agentId: Type.Optional(
        Type.String({ minLength: 1, description: "Count one agent's passages instead of the organization's" }),
      ),
    }),
    response: { 200: ref(DocumentEmbeddings) },
  },
} as const;

export const putDocumentEmbeddings = {
  method: "PUT",
  url: "/documents/embeddings",
  config,
  schema: {
    tags,
    summary: "Choose the embedding model with which documents are also searched by meaning",
    description:
      "Applies to all agents of the organization. The model is tested first. Passages are embedded in the background; until an agent's passages all have vectors, it is searched with the previous model's vectors, or by words. `null` turns search by meaning off and deletes the vectors. Setting the same model again retries failures immediately.",
    body: Type.Object({
      model: nullable(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "Provider and name, such as `openai/text-embedding-3-small`",
        }),
      ),
    }),
    response: { 200: ref(DocumentEmbeddings) },
  },
} as const;
