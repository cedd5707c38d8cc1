import type { DocumentWarning } from "@foyer/contract";
import type { Archive } from "./read-zip.ts";
import type { Block } from "./split-passages.ts";
import type { Warnings } from "./warnings.ts";

/** What a format is recognized by. */
export type FileProbe = {
  /** the first kilobyte, with one character for each byte */
  start: string;
  /** null unless the file is a ZIP archive */
  archive: Archive | null;
  /** the decoded beginning of a text; empty for binary formats */
  text: string;
};

/** A file to read. `text` is the decoded text, which is empty for binary formats. */
export type FileInput = {
  bytes: Uint8Array;
  text: string;
  archive: Archive | null;
  onProgress: OnProgress;
  warnings: Warnings;
  /** whether the contact information around the content is read as well */
  isStartPage: boolean;
};

/** The content of a file. `title` comes from the file's own metadata. */
export type FileContent = { title: string | null; blocks: Block[] };

export type Extracted = FileContent & { mimeType: string; warnings: DocumentWarning[] };

/** Called with the number of pages or other units read so far. `total` is 0 while it is unknown. */
export type OnProgress = (done: number, total: number) => void;
