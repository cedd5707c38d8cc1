import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { sizeOfFile } from "../../models/prompt-files.ts";

/** About what providers count for a picture of the size that the widget sends. */
const PICTURE_TOKENS = 1_100;
/** The most that a provider counts for a picture: OpenAI's small models multiply the tokens of eight tiles by 33. */
const MOST_PICTURE_TOKENS = 40_000;
/** Providers read the text and a picture of each page. */
const PAGE_TOKENS = 2_500;
const MOST_PAGE_TOKENS = 5_000;
const MOST_PAGES = 100;
/** About the size of a page in a PDF file, and the smallest, in bytes. */
const PAGE_BYTES = 50_000;
const LEAST_PAGE_BYTES = 1_000;
/** The newest pictures that models receive, see chat/turn/attachment-parts.ts. */
const MAX_PICTURES = 4;

type File = { type: string; size: number };

const isPicture = ({ type }: File) => type.startsWith("image/");
const countPages = (size: number, pageBytes: number) => Math.min(MOST_PAGES, Math.max(1, Math.ceil(size / pageBytes)));

/** The most tokens that the pictures and files of a prompt can have. */
export function limitFileTokens(prompt: LanguageModelV4Prompt): number {
  const files = prompt.flatMap((message) =>
    message.role === "user" ? message.content.filter((part) => part.type === "file") : [],
  );
  return limitTokens(files.map((part) => ({ type: part.mediaType, size: sizeOfFile(part) })));
}

/** The most tokens that the newest pictures and all PDF files of a conversation can have. */
export function limitTokens(files: readonly File[]): number {
  const pdfs = files.filter(({ type }) => type === "application/pdf");
  return (
    Math.min(MAX_PICTURES, files.filter(isPicture).length) * MOST_PICTURE_TOKENS +
    pdfs.reduce((sum, { size }) => sum + countPages(size, LEAST_PAGE_BYTES) * MOST_PAGE_TOKENS, 0)
  );
}

/** About the tokens of the newest pictures and all PDF files of a conversation. */
export function guessFileTokens(files: readonly File[]): number {
  const pdfs = files.filter(({ type }) => type === "application/pdf");
  return (
    Math.min(MAX_PICTURES, files.filter(isPicture).length) * PICTURE_TOKENS +
    pdfs.reduce((sum, { size }) => sum + countPages(size, PAGE_BYTES) * PAGE_TOKENS, 0)
  );
}
