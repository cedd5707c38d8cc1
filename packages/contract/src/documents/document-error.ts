import Type, { type Static } from "typebox";
import { stringEnum } from "../schema.ts";

/** Why a document could not be processed. Every failed document carries one of these codes with a message. */
export const documentErrorCodes = {
  ENCRYPTED: "The file needs a password.",
  NO_TEXT: "The file or page contains no text, such as a scan without a text layer.",
  TOO_LARGE: "The file or its unpacked content exceeds a limit.",
  TOO_MANY_PAGES: "The file has too many pages.",
  NOT_SUPPORTED: "The format is not supported.",
  DAMAGED: "The file is incomplete or does not conform to its format.",
  TOO_SLOW: "Reading the file took too long.",
  OUT_OF_MEMORY: "Reading the file needed too much memory.",
  NOT_REACHABLE: "The page could not be fetched.",
  NOT_ALLOWED: "robots.txt does not allow reading the page.",
  INTERNAL: "The server failed to process the document. Retrying may help.",
} as const;
export type DocumentErrorCode = keyof typeof documentErrorCodes;

export const DocumentError = Type.Object({
  code: stringEnum(Object.keys(documentErrorCodes) as DocumentErrorCode[], "More codes can be added later."),
  message: Type.String({ description: "The problem and how to fix it, in English" }),
});
export type DocumentError = Static<typeof DocumentError>;
