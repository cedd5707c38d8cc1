import { isAscii } from "node:buffer";
import { findEncoding } from "./charset.ts";
import { ExtractionError } from "./extraction-error.ts";

export type Format = "pdf" | "zip" | "html" | "csv" | "markdown" | "text";

const mimeTypes: Record<Exclude<Format, "zip">, string> = {
  pdf: "application/pdf",
  html: "text/html",
  csv: "text/csv",
  markdown: "text/markdown",
  text: "text/plain",
};

export const mimeTypeOf = (format: Exclude<Format, "zip">): string => mimeTypes[format];

const supported = "Supported formats: PDF, DOCX, XLSX, CSV, HTML, Markdown and plain text.";

/** Unsupported formats that people upload by mistake: their first bytes, and a message that says what to do instead. */
const unsupported: ReadonlyArray<readonly [start: string, message: string]> = [
  ["\x89PNG", `Images are not supported. ${supported}`],
  ["\xff\xd8\xff", `Images are not supported. ${supported}`],
  ["GIF8", `Images are not supported. ${supported}`],
  ["{\\rtf", `RTF is not supported. Save the file as DOCX or PDF. ${supported}`],
  ["\x1f\x8b", `Compressed archives are not supported. Upload the files individually. ${supported}`],
  ["7z\xbc\xaf", `Compressed archives are not supported. Upload the files individually. ${supported}`],
  ["Rar!", `Compressed archives are not supported. Upload the files individually. ${supported}`],
  ["MZ", `Executable files are not supported. ${supported}`],
  ["\x7fELF", `Executable files are not supported. ${supported}`],
  ["SQLite format 3", `Databases are not supported. ${supported}`],
];

/**
 * Detects the format of a file from its content.
 * @param charset the encoding that the HTTP response or the upload specified, see `parseCharset`
 * @throws ExtractionError when the format is not supported
 */
export function detectFormat(bytes: Uint8Array, charset: string | null): { format: Format; text: string | null } {
  const start = decodeLatin1(bytes.subarray(0, 1_024));
  if (start.includes("%PDF-")) return { format: "pdf", text: null };
  if (start.startsWith("PK\x03\x04")) return { format: "zip", text: null };
  if (start.startsWith("\xd0\xcf\x11\xe0")) throw oldOfficeError(bytes);
  const match = unsupported.find(([magic]) => start.startsWith(magic));
  if (match) throw new ExtractionError("NOT_SUPPORTED", match[1]);
  const text = decode(bytes, charset);
  return { format: detectTextFormat(text), text };
}

/** Word and Excel store password-protected files in their old container format. */
function oldOfficeError(bytes: Uint8Array): ExtractionError {
  const name = Buffer.from("EncryptedPackage", "utf16le");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(name)
    ? new ExtractionError("ENCRYPTED", "The file is password-protected. Remove the password and upload it again.")
    : new ExtractionError(
        "NOT_SUPPORTED",
        `This is an old Office format. Save the file as DOCX, XLSX or PDF. ${supported}`,
      );
}

function decodeLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/**
 * Decodes text by the first of these that applies: its byte order mark, UTF-8, the encoding specified over HTTP, the
 * encoding that the page declares, and Windows-1252. UTF-8 comes before the specified encodings, because bytes that are
 * valid UTF-8 are hardly ever in another encoding, and the specifications can be wrong.
 */
function decode(bytes: Uint8Array, charset: string | null): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return withoutNul(new TextDecoder("utf-16le").decode(bytes));
  if (first === 0xfe && second === 0xff) return withoutNul(new TextDecoder("utf-16be").decode(bytes));
  if (bytes.subarray(0, 65_536).includes(0)) {
    if (charset?.startsWith("utf-16")) return withoutNul(new TextDecoder(charset).decode(bytes));
    throw new ExtractionError("NOT_SUPPORTED", `This is not a text file. ${supported}`);
  }
  const declared = legacyCharset(charset) ?? readDeclaredEncoding(bytes);
  // ISO-2022-JP consists of ASCII bytes, which are valid UTF-8 as well.
  if (declared === "iso-2022-jp" && isAscii(bytes)) return withoutNul(new TextDecoder(declared).decode(bytes));
  try {
    return withoutNul(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return withoutNul(new TextDecoder(declared ?? (charset === "utf-8" ? charset : "windows-1252")).decode(bytes));
  }
}

const DECLARED_WITHIN = 4_096;
const declaration =
  /<meta\b[^>]{0,300}?\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})|^\s{0,99}<\?xml\b[^>]{0,100}?\bencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})/i;

/** The encoding that an HTML page declares near its start; null when there is none or it is unknown. */
function readDeclaredEncoding(bytes: Uint8Array): string | null {
  const [, inMeta, inXml] = declaration.exec(decodeLatin1(bytes.subarray(0, DECLARED_WITHIN))) ?? [];
  const encoding = findEncoding(inMeta ?? inXml);
  // A declaration of UTF-16 that can be read as ASCII is wrong.
  return encoding?.startsWith("utf-16") ? null : encoding;
}

/** The encoding unless it is a Unicode one, whose bytes are recognized without its name. */
const legacyCharset = (charset: string | null) => (charset?.startsWith("utf-") ? null : charset);

/** Removes NUL characters, which PostgreSQL cannot store in text. */
const withoutNul = (text: string) => (text.includes("\0") ? text.replaceAll("\0", "") : text);

const htmlStart = /^\s*(<!--[\s\S]{0,2000}?-->\s*)?(<\?xml[^>]{0,200}\?>\s*)?<(!doctype\s+html|html|head|body)\b/i;
const htmlTags = /<(p|div|h[1-6]|ul|ol|table|section|article|main|br|span)\b[^<>]{0,500}>/gi;
const markdown = /^#{1,6} \S|^\s*[-*+] \S|\]\([^)\s]+\)|^```|\*\*\S/m;

function detectTextFormat(text: string): Format {
  const start = text.slice(0, 20_000);
  if (htmlStart.test(start)) return "html";
  if (/^\s*<(\?xml|svg|rss|feed)\b/.test(start)) {
    throw new ExtractionError("NOT_SUPPORTED", `XML files are not supported. ${supported}`);
  }
  if (/^\s*</.test(start) && (start.match(htmlTags)?.length ?? 0) >= 3) return "html";
  if (isEmail(start)) {
    throw new ExtractionError("NOT_SUPPORTED", `Email files are not supported. Save the message as PDF. ${supported}`);
  }
  if (looksLikeCsv(start)) return "csv";
  return markdown.test(start) ? "markdown" : "text";
}

/** Whether the text begins with the header of an email or of a saved web page (MHTML). */
function isEmail(start: string): boolean {
  const [header = ""] = start.trimStart().split(/\r?\n\r?\n/, 1);
  const names = header.split(/\r?\n(?![ \t])/).map((line) => /^[!-9;-~]{1,100}:/.exec(line)?.[0].toLowerCase());
  return (
    names.every((name) => name !== undefined) && names.includes("mime-version:") && names.includes("content-type:")
  );
}

/** Whether at least three lines have the same number of the same separator, in at least two columns. */
function looksLikeCsv(start: string): boolean {
  const lines = start.split(/\r?\n/).slice(0, 20);
  // The last line may be truncated.
  if (start.length === 20_000 && lines.length < 20) lines.pop();
  const filled = lines.filter((line) => line.trim() !== "");
  if (filled.length < 3) return false;
  return [",", ";", "\t", "|"].some((separator) => {
    const counts = filled.map((line) => countUnquotedSeparators(line, separator));
    const [first = 0] = counts;
    return first > 0 && counts.every((count) => count === first) && !isProse(filled);
  });
}

function countUnquotedSeparators(line: string, separator: string): number {
  let count = 0;
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) count++;
  }
  return count;
}

/** Whether the lines are prose. Sentences with one comma each look like two columns. */
function isProse(lines: readonly string[]): boolean {
  return lines.filter((line) => /[.!?。]\s*$/.test(line)).length > lines.length / 2;
}
