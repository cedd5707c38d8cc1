import { setTimeout as wait } from "node:timers/promises";
import type { AttachmentType } from "@foyer/contract";
import { declaredType } from "../../documents/extract/declared-type.ts";
import { ExtractionError } from "../../documents/extract/extraction-error.ts";
import type { Extractor, FileOwner } from "../../documents/extract/extractor.ts";
import { PictureError } from "../../pictures/picture.ts";
import type { PictureRewriter } from "../../pictures/picture-rewriter.ts";
import { detectPicture } from "../../pictures/rewrite-picture.ts";
import { unsupportedError } from "./attachment-error.ts";

/** What is stored of an upload. `text` is the beginning of the text of a file. */
export type Content = {
  type: AttachmentType;
  bytes: Buffer;
  width: number | null;
  height: number | null;
  text: string | null;
};

/** The part of a file's text that models read, in characters. */
const TEXT_CHARACTERS = 50_000;
/** Readers of PDF look for its header in this many bytes, so a file that has it there is a PDF as well. */
const PDF_HEADER_WITHIN = 1_024;
/** The end record of a ZIP file, and its size without a comment. */
const ZIP_END = Buffer.from("PK\x05\x06", "latin1");
const ZIP_END_BYTES = 22;
/** The part of a DOCX file that has its macros. The names of parts are not compressed. */
const MACROS = Buffer.from("word/vbaProject.bin", "latin1");
const PART_BYTES = 64 * 1024;

const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
/** The types by the media type that the extraction detects. */
const fileTypes: Readonly<Record<string, AttachmentType>> = {
  "application/pdf": "application/pdf",
  [docx]: docx,
  "text/csv": "text/csv",
  "text/plain": "text/plain",
  "text/markdown": "text/plain",
};

/** Read the content of uploads off the event loop. */
export type Readers = { extractor: Pick<Extractor, "extract">; pictures: Pick<PictureRewriter, "rewrite"> };

type Upload = { name: string; bytes: Buffer };

/**
 * Detects the type of an upload by its content. Pictures are copied without their metadata, and the text of other files
 * is read in the extraction process.
 * @throws 400 `UNSUPPORTED_ATTACHMENT`
 */
export async function readContent(
  { extractor, pictures }: Readers,
  owner: FileOwner,
  upload: Upload,
): Promise<Content> {
  if (upload.bytes.length === 0) throw unsupportedError("The file is empty.");
  // Joining a large body has taken milliseconds, and so does starting the process or thread that reads it. An immediate
  // would still run in the same turn of the event loop.
  await wait(0);
  const { name } = upload;
  const picture = detectPicture(upload.bytes);
  const isZip = upload.bytes.toString("latin1", 0, 4) === "PK\x03\x04";
  const header = upload.bytes.subarray(0, PDF_HEADER_WITHIN).indexOf("%PDF-");
  if (header > 0 && (picture !== null || isZip)) {
    throw unsupportedError("The file can be read as a PDF and as a file of another type.");
  }
  // What programs have written before the header is not part of the document. A text may mention the header.
  const isPdf = header === 0 || (header > 0 && /\.pdf$/i.test(name));
  const bytes = isPdf ? upload.bytes.subarray(header) : upload.bytes;
  if (picture !== null) {
    try {
      return { ...(await pictures.rewrite(bytes, picture)), text: null };
    } catch (error) {
      throw error instanceof PictureError ? unsupportedError(error.message) : error;
    }
  }
  if (isPdf && endsAsZip(bytes)) {
    throw unsupportedError("The file can be read as a PDF and as a file of another type.");
  }
  if (!isPdf && !isZip && !isText(bytes)) throw unsupportedError("This type of file cannot be attached.");
  const { type, text } = await extractText(extractor, owner, { name, bytes });
  if ((type === "application/pdf") !== isPdf || (type === docx) !== isZip) {
    throw unsupportedError("The file's first bytes do not belong to its type.");
  }
  if (isZip && bytes.includes(MACROS)) throw unsupportedError("The document contains macros.");
  return { type, bytes, width: null, height: null, text };
}

/** Whether the file is a ZIP file for readers that begin at its end. */
function endsAsZip(bytes: Buffer): boolean {
  const at = bytes.lastIndexOf(ZIP_END);
  return (
    at >= 0 && at + ZIP_END_BYTES <= bytes.length && at + ZIP_END_BYTES + bytes.readUInt16LE(at + 20) === bytes.length
  );
}

/** Whether the bytes can be plain text. Markup that a browser could run is refused. */
function isText(bytes: Buffer): boolean {
  const isUtf16 = /^(?:\xff\xfe|\xfe\xff)/.test(bytes.toString("latin1", 0, 2));
  if (!isUtf16 && bytes.includes(0)) return false;
  return !/^\s*<(?:!doctype|!--|\?xml|html|svg)/i.test(bytes.toString("latin1", 0, 512).replace(/^ï»¿/, ""));
}

async function extractText(extractor: Pick<Extractor, "extract">, owner: FileOwner, { name, bytes }: Upload) {
  const declared = declaredType(undefined, name);
  const job = { kind: "file", title: name, isUnnamed: false, isStartPage: false, isIndexed: false, declared } as const;
  try {
    const { mimeType, texts } = await extractor.extract(owner, { job, parts: inParts(bytes), onProgress: () => {} });
    const type = fileTypes[mimeType.split(";")[0] ?? ""];
    if (type === undefined) throw unsupportedError("This type of file cannot be attached.");
    return { type, text: takeStart(texts.map(({ text }) => text).join("")) };
  } catch (error) {
    if (!(error instanceof ExtractionError) || error.code === "INTERNAL") throw error;
    // A scan has no text, but some models read its pages.
    if (error.code === "NO_TEXT" && bytes.toString("latin1", 0, 5) === "%PDF-") {
      return { type: "application/pdf" as const, text: null };
    }
    if (error.code === "NOT_SUPPORTED") throw unsupportedError("This type of file cannot be attached.");
    throw unsupportedError(error.message);
  }
}

function takeStart(text: string): string | null {
  const start = text.slice(0, TEXT_CHARACTERS).toWellFormed().replaceAll("\0", "").trim();
  return start === "" ? null : start;
}

/** A large file is passed on in parts, so that the event loop never copies a whole one at once. */
export function* inParts(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}
