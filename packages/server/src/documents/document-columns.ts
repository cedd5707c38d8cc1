import { createHash } from "node:crypto";
import type { Document, DocumentChanges, DocumentCreate, DocumentWarning, Faq } from "@foyer/contract";
import type { DocumentRow } from "../db/tables/documents.ts";
import { checkAll, invalid } from "../errors.ts";
import type { PartialBody } from "../http/body-rules.ts";
import { cleanTitle } from "./extract/clean-title.ts";
import type { StoredFile } from "./file-store.ts";

/** The original of a document if the request contains it; null for a page, which is fetched later. */
type Original = { mimeType: string; content: Buffer } | null;

/** The content of a document as a request specifies it. */
export type DocumentContent = {
  kind: DocumentRow["kind"];
  title: string;
  url: string | null;
  /** whether a member gave the page its title */
  hasOwnTitle: boolean;
  original: Original;
  contentHash: string;
};

const FAQ_TYPE = "application/json";

/** Converts a row to the API's representation. */
export function toDocument(row: DocumentRow): Document {
  return {
    id: row.id,
    agentId: row.agentId,
    kind: row.kind,
    // A failed replacement does not change what the agent uses, so show the version in use.
    ...(row.state === "failed" ? currentTitleAndUrl(row) : { title: row.title, url: row.url }),
    externalKey: row.externalKey,
    mimeType: row.mimeType,
    bytes: row.bytes,
    language: row.language,
    state: row.state,
    stage: row.stage,
    progress: { done: row.progressDone, total: row.progressTotal },
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "" },
    warnings: parseWarnings(row.warnings),
    chunks: row.chunks,
    characters: row.characters,
    isEnabled: row.isEnabled === 1,
    citation: row.citation,
    sourceId: row.sourceId,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
    readyAt: row.readyAt === null ? null : new Date(row.readyAt).toISOString(),
  };
}

/** @throws when the text was not written by `JobQueue` */
const parseWarnings = (text: string) => JSON.parse(text) as DocumentWarning[];

/** Title and URL of the version that the agent uses, or of the first version while it is not ready. */
export function currentTitleAndUrl({
  title,
  url,
  readyTitle,
  readyUrl,
}: Pick<DocumentRow, "title" | "url" | "readyTitle" | "readyUrl">): Pick<Document, "title" | "url"> {
  return readyTitle === null ? { title, url } : { title: readyTitle, url: readyUrl };
}

type ContentInput = Pick<DocumentCreate, "kind"> & DocumentChanges;

const requiredFields = { text: ["title", "text"], faq: ["question", "answer"], page: ["url"] } as const;

/**
 * Checks what the schema of the body cannot express. Nothing is checked while the kind is unknown.
 * @throws 400 with the path of every problem
 */
export function checkContent(
  { body, refused }: PartialBody<ContentInput>,
  checkPage: (address: string) => unknown,
): void {
  const { kind, url } = body;
  if (kind === undefined) return;
  const missing = requiredFields[kind].filter((name) => !refused.has(name));
  checkAll([
    ...missing.map((name) => () => requireText(name, kind, body[name])),
    () => {
      if (kind === "page" && url) checkPage(url);
    },
  ]);
}

/** Builds the content from a request. @throws 400 when a field that the kind requires is missing */
export function toContent(input: ContentInput): DocumentContent {
  const { kind } = input;
  switch (kind) {
    case "text":
      return textContent(requireText("title", kind, input.title).trim(), requireText("text", kind, input.text));
    case "faq":
      return faqContent({
        question: requireText("question", kind, input.question).trim(),
        otherWordings: (input.otherWordings ?? []).map((wording) => wording.trim()),
        answer: requireText("answer", kind, input.answer),
      });
    case "page":
      return pageContent(requireText("url", kind, input.url), input.title?.trim() ?? null);
  }
}

export function textContent(title: string, text: string): DocumentContent {
  const original = { mimeType: "text/markdown", content: Buffer.from(text) };
  return { kind: "text", title, url: null, hasOwnTitle: true, original, contentHash: hashContent("text", title, text) };
}

export function faqContent(faq: Faq): DocumentContent {
  const json = JSON.stringify(faq);
  return {
    kind: "faq",
    title: faq.question.slice(0, 500),
    url: null,
    hasOwnTitle: true,
    original: { mimeType: FAQ_TYPE, content: Buffer.from(json) },
    contentHash: hashContent("faq", json),
  };
}

/** @param title null to use the one that the page declares */
export function pageContent(address: string, title: string | null): DocumentContent {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalid("url", "must be an http or https address such as https://example.com/help", "format");
  }
  url.hash = "";
  return {
    kind: "page",
    title: title ?? url.href.slice(0, 500),
    url: url.href,
    hasOwnTitle: title !== null,
    original: null,
    contentHash: hashContent("page", url.href),
  };
}

/**
 * Returns the content of an uploaded file. It is identified by the bytes and the encoding that the upload specified, so
 * that another upload can correct the encoding. UTF-8 is treated like an unspecified encoding, because it is recognized
 * automatically. The title is `name` without folders.
 */
export function fileContent(
  name: string,
  { sha256, declared: { charset } }: Pick<StoredFile, "sha256" | "declared">,
): DocumentContent {
  const title = cleanTitle(name.split(/[\\/]/).at(-1) ?? "") || "Untitled";
  const encoding = charset === null || charset === "utf-8" ? [] : [charset];
  const contentHash = hashContent("file", sha256, ...encoding);
  return { kind: "file", title, url: null, hasOwnTitle: true, original: null, contentHash };
}

/** Returns the hash that identifies a content, including its title if the title is part of the content. */
function hashContent(...parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** @throws when the text was not written by `faqContent` */
export function parseFaq(text: string): Faq {
  return JSON.parse(text) as Faq;
}

function requireText(path: string, kind: string, value: string | null | undefined): string {
  if (value === null || value === undefined)
    throw invalid(path, `is required for a document of kind ${kind}`, "required");
  return value;
}
