import Type, { type Static } from "typebox";
import { documentFormatList } from "../rules/document-formats.ts";
import { searchTextLimits } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import {
  idParams,
  listOffset,
  nullable,
  Pagination,
  ref,
  Success,
  stringEnum,
  Timestamp,
  withDescription,
  withDocumentation,
} from "../schema.ts";
import { DocumentError } from "./document-error.ts";
import { DocumentWarning } from "./document-warning.ts";

/** The kinds of documents: pasted text, a question with its answer, a web page, or an uploaded file. */
export const documentKinds = ["text", "faq", "page", "file"] as const;
export type DocumentKind = (typeof documentKinds)[number];

export const documentStates = ["queued", "processing", "ready", "failed"] as const;
export const documentStages = ["fetching", "extracting", "indexing"] as const;
export const citations = ["link", "title", "hidden"] as const;

const title = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: textPatterns.notBlank,
  description:
    "Title of a `text` or `page`, which citations show. A page without one keeps the title that it declares; `null` returns to that.",
});
const text = Type.String({
  minLength: 1,
  maxLength: 200_000,
  pattern: textPatterns.notBlank,
  description: "Plain text or Markdown. Upload longer texts as a file.",
});
const question = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: textPatterns.notBlank,
  description: "The question of a `faq` document, as visitors ask it",
});
const otherWordings = Type.Array(question, {
  maxItems: 50,
  description: "Other ways in which visitors ask the same question",
});
const answer = Type.String({
  minLength: 1,
  maxLength: 50_000,
  pattern: textPatterns.notBlank,
  description: "The answer of a `faq` document: plain text or Markdown",
});
const url = Type.String({ format: "uri", minLength: 1, maxLength: 2_000, description: "URL of a public web page" });
const externalKey = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: textPatterns.noControlCharacters,
  description: "The document's key in your own system. Unique within the agent.",
});
const citation = stringEnum(
  citations,
  "What visitors see when a reply cites the document: title and link, only the title, or nothing. Defaults to `link`.",
);
const isEnabled = Type.Boolean({ description: "Whether the agent may use the document. Defaults to true." });

export const Faq = Type.Object({ question, otherWordings, answer });
export type Faq = Static<typeof Faq>;

const documentFields = {
  id: Type.String(),
  agentId: Type.String(),
  kind: stringEnum(documentKinds),
  title: Type.String(),
  url: nullable(Type.String({ description: "URL of the page. `null` for other kinds." })),
  externalKey: nullable(Type.String({ description: "The document's key in another system that maintains it" })),
  mimeType: Type.String({
    description: "Detected from the content. In doubt, the media type and the name of the upload decide.",
  }),
  bytes: Type.Integer({ description: "Size of the original" }),
  language: nullable(Type.String({ description: "Detected language as an ISO 639-1 code, once it is known" })),
  state: stringEnum(documentStates, "While a new version is processed, the agent keeps using the previous one."),
  stage: nullable(stringEnum(documentStages, "The current stage while the state is `processing`")),
  progress: Type.Object(
    { done: Type.Integer(), total: Type.Integer() },
    { description: "Pages or other units of the current stage. `total` is 0 while it is unknown." },
  ),
  error: nullable(DocumentError),
  warnings: Type.Array(DocumentWarning, {
    description: "What was left out when the version that the agent uses was read. Empty when nothing was.",
  }),
  chunks: Type.Integer({ description: "Passages that searches can find" }),
  characters: Type.Integer(),
  isEnabled: Type.Boolean(),
  citation: stringEnum(citations),
  sourceId: nullable(Type.String({ description: "The source that the page belongs to" })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  readyAt: nullable(Timestamp),
};

export const Document = Type.Object(documentFields, { $id: "Document" });
export type Document = Static<typeof Document>;

export const DocumentDetail = Type.Object(
  { ...documentFields, faq: nullable(Faq) },
  {
    $id: "DocumentDetail",
    description: "A document. `faq` holds the question, other wordings and answer of an entry of kind `faq`.",
  },
);
export type DocumentDetail = Static<typeof DocumentDetail>;

const contentFields = {
  title: Type.Optional(nullable(title)),
  text: Type.Optional(nullable(text)),
  question: Type.Optional(nullable(question)),
  otherWordings: Type.Optional(nullable(otherWordings)),
  answer: Type.Optional(nullable(answer)),
  url: Type.Optional(nullable(url)),
  isEnabled: Type.Optional(nullable(isEnabled)),
  citation: Type.Optional(nullable(citation)),
};

const agentId = Type.String({ minLength: 1, description: "Id of the agent" });

export const DocumentCreate = Type.Object(
  {
    agentId,
    kind: stringEnum(
      ["text", "faq", "page"],
      "What the document is: a text, a question with its answer, or a web page that the server fetches",
    ),
    ...contentFields,
    unansweredId: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            "The group of unanswered questions that the document answers. The group is removed from the list of unanswered questions.",
        }),
      ),
    ),
  },
  {
    description:
      "`text` needs `title` and `text`, `faq` needs `question` and `answer`, `page` needs `url`. Fields of the other kinds are ignored.",
  },
);
export type DocumentCreate = Static<typeof DocumentCreate>;

export const DocumentChanges = Type.Object(contentFields, {
  description: "Omitted fields keep their values. Changed content is processed in the background.",
});
export type DocumentChanges = Static<typeof DocumentChanges>;

export const DocumentQuery = Type.Object({
  agentId: Type.Optional(
    withDescription(agentId, { description: "Id of the agent. Without it, documents of all agents are listed." }),
  ),
  sourceId: Type.Optional(Type.String({ minLength: 1, description: "Only pages of this source" })),
  state: Type.Optional(stringEnum(documentStates, "Only documents in this state")),
  kind: Type.Optional(stringEnum(documentKinds, "Only documents of this kind")),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: searchTextLimits.documents, description: "Text in the title or the URL" }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 50. Values above 200 count as 200." })),
  offset: Type.Optional(listOffset),
});
export type DocumentQuery = Static<typeof DocumentQuery>;

export const DocumentChunk = Type.Object({
  ordinal: Type.Integer(),
  heading: nullable(Type.String()),
  page: nullable(Type.Integer({ description: "Page number in the file, from 1" })),
  text: Type.String(),
});
export type DocumentChunk = Static<typeof DocumentChunk>;

export const DocumentLimits = Type.Object({
  current: Type.Integer(),
  limit: nullable(Type.Integer({ description: "`null` means unlimited" })),
  planId: Type.String(),
  canCreate: Type.Boolean(),
  maxFileBytes: Type.Integer(),
  maxPages: Type.Integer({ description: "Pages per file" }),
  maxCharacters: Type.Integer({ description: "Characters of text per file" }),
});
export type DocumentLimits = Static<typeof DocumentLimits>;

/** The bytes of a file, or a browser's `Blob` or `File`. */
export type FileBody = Uint8Array | { readonly size: number; arrayBuffer(): Promise<ArrayBuffer> };

const tags = ["Documents"];
const params = idParams("document");
const config = { access: "account" } as const;
const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 50. Values above 200 count as 200." })),
  offset: Type.Optional(listOffset),
};
const accepted = {
  200: ref(Document),
  202: ref(Document),
};

export const createDocument = {
  method: "POST",
  url: "/documents",
  config: { ...config, idempotent: true },
  schema: {
    tags,
    summary: "Add a text, a question with its answer, or a web page to an agent",
    description:
      "Responds with 202 immediately; the document is processed in the background. If the agent already has a document with the same content, the response is 200 with that document.",
    body: DocumentCreate,
    response: accepted,
  },
} as const;

export const uploadDocument = {
  method: "POST",
  url: "/documents/upload",
  config: { ...config, idempotent: true },
  schema: {
    tags,
    summary: "Upload a file",
    description: `The body is the file itself. Supported formats: ${documentFormatList}. The format is detected from the content; in doubt, the media type and then the extension of \`name\` decide. A \`charset\` in the Content-Type header is used for text that is not UTF-8. Files of up to 25 MB are accepted. With \`externalKey\`, the file replaces the document with that key.`,
    consumes: ["application/octet-stream"],
    querystring: Type.Object({
      agentId,
      name: Type.String({ minLength: 1, maxLength: 500, description: "File name, used as the title" }),
      externalKey: Type.Optional(externalKey),
    }),
    body: withDocumentation<FileBody>({}, { type: "string", format: "binary" }),
    response: accepted,
  },
} as const;

export const listDocuments = {
  method: "GET",
  url: "/documents",
  config,
  schema: {
    tags,
    summary: "List documents, newest first",
    querystring: DocumentQuery,
    response: { 200: Type.Object({ documents: Type.Array(ref(Document)), pagination: Pagination }) },
  },
} as const;

export const getDocumentLimits = {
  method: "GET",
  url: "/documents/limits",
  config,
  schema: {
    tags,
    summary: "Read an agent's document count and limits",
    querystring: Type.Object({ agentId }),
    response: { 200: DocumentLimits },
  },
} as const;

export const putDocumentByKey = {
  method: "PUT",
  url: "/documents/by-key/:externalKey",
  config,
  schema: {
    tags,
    summary: "Create or replace the document with this key, for synchronization from another system",
    description:
      "Responds with 202 when the document is new or its content changed, and with 200 when nothing changed.",
    params: Type.Object({ externalKey }),
    body: DocumentCreate,
    response: accepted,
  },
} as const;

export const changeDocuments = {
  method: "POST",
  url: "/documents/bulk",
  config,
  schema: {
    tags,
    summary: "Delete, enable, disable or retry several documents, or move them to the trash",
    body: Type.Object({
      ids: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: 500,
        description: "Ids of the documents. Ids that do not exist are ignored.",
      }),
      action: stringEnum(
        ["delete", "trash", "enable", "disable", "retry"],
        "What to do with each document. `trash` moves it to the trash, or deletes it permanently if the server keeps none.",
      ),
    }),
    response: { 200: Type.Object({ changed: Type.Integer({ description: "Number of documents that changed" }) }) },
  },
} as const;

export const getDocument = {
  method: "GET",
  url: "/documents/:id",
  config,
  schema: { tags, summary: "Read a document", params, response: { 200: ref(DocumentDetail) } },
} as const;

export const getDocumentText = {
  method: "GET",
  url: "/documents/:id/text",
  config,
  schema: {
    tags,
    summary: "Read a document's extracted text in parts",
    params,
    querystring: Type.Object({
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "In characters" })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: "In characters. Defaults to 100,000, which is also the maximum." }),
      ),
    }),
    response: {
      200: Type.Object({
        text: Type.String(),
        offset: Type.Integer(),
        nextOffset: nullable(Type.Integer({ description: "Offset of the next part. `null` at the end." })),
        characters: Type.Integer({ description: "Length of the whole text" }),
      }),
    },
  },
} as const;

export const listDocumentChunks = {
  method: "GET",
  url: "/documents/:id/chunks",
  config,
  schema: {
    tags,
    summary: "List the passages into which a document was split",
    params,
    querystring: Type.Object(page),
    response: { 200: Type.Object({ chunks: Type.Array(DocumentChunk), pagination: Pagination }) },
  },
} as const;

export const getDocumentFile = {
  method: "GET",
  url: "/documents/:id/file",
  config,
  schema: {
    tags,
    summary: "Download the original",
    params,
    response: {
      200: {
        description: "The file or page as received. For `text` its text, for `faq` its JSON.",
        content: { "*/*": { schema: Type.Unsafe<unknown>({ description: "The bytes of the original" }) } },
      },
    },
  },
} as const;

export const updateDocument = {
  method: "PUT",
  url: "/documents/:id",
  config,
  schema: {
    tags,
    summary: "Update a document",
    description: "Responds with 202 when the content changed and is processed again, and with 200 otherwise.",
    params,
    body: DocumentChanges,
    response: accepted,
  },
} as const;

export const deleteDocument = {
  method: "DELETE",
  url: "/documents/:id",
  config,
  schema: {
    tags,
    summary: "Delete a document. The agent stops using it immediately.",
    params,
    response: { 200: Success },
  },
} as const;

export const retryDocument = {
  method: "POST",
  url: "/documents/:id/retry",
  config,
  schema: {
    tags,
    summary: "Process a document again. Pages are fetched again.",
    params,
    response: { 202: ref(Document) },
  },
} as const;
