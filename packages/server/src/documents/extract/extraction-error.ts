import type { DocumentErrorCode } from "@foyer/contract";

/** Why a document cannot be read. The message is for the person who uploaded it. */
export class ExtractionError extends Error {
  readonly code: DocumentErrorCode;

  constructor(code: DocumentErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
