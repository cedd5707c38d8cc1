import type { DocumentErrorCode, DocumentKind, DocumentWarning } from "@foyer/contract";
import type { PreparedDocument } from "../search/prepare-document.ts";
import type { DeclaredType } from "./declared-type.ts";
import type { SiteJob, SiteResult } from "./site-protocol.ts";
import type { TextPart } from "./text-parts.ts";

/**
 * `isUnnamed` means that the title in the file's own metadata replaces `title`. `isStartPage` means that the contact
 * information around the content of a page is read as well.
 */
export type ExtractionJob = {
  kind: DocumentKind;
  title: string;
  isUnnamed: boolean;
  isStartPage: boolean;
  /** Whether the text is prepared for the search. */
  isIndexed: boolean;
  declared: DeclaredType;
};

export type ExtractionResult = {
  mimeType: string;
  /** the document's new title */
  title: string;
  warnings: DocumentWarning[];
  texts: TextPart[];
  prepared: PreparedDocument;
};

/**
 * Files and results are sent in parts, so that the parent never handles a whole one in a single turn of its event loop.
 */
export type ExtractionMessage =
  | { type: "start"; job: ExtractionJob | SiteJob }
  | { type: "part"; bytes: Uint8Array }
  | { type: "end" }
  | { type: "progress"; done: number; total: number }
  | { type: "chunks"; chunks: ExtractionResult["prepared"]["chunks"] }
  | { type: "text"; text: TextPart }
  /** the result of a document, without the chunks and texts sent before */
  | { type: "done"; result: ExtractionResult | SiteResult[SiteJob["kind"]] }
  | { type: "failed"; code: DocumentErrorCode; message: string };
