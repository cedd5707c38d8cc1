import { isAscii } from "node:buffer";
import { type DocumentFormat, documentFormatList, documentFormats } from "@foyer/contract/rules/document-formats";
import { type DeclaredType, findEncoding } from "./declared-type.ts";
import type { FileProbe } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { formatReaders } from "./formats.ts";
import { guessEncoding } from "./guess-encoding.ts";
import { type Archive, openArchive } from "./read-zip.ts";
import type { Warnings } from "./warnings.ts";

const supported = `Supported formats: ${documentFormatList}.`;

export type DetectedFile = { format: DocumentFormat; text: string; archive: Archive | null };

/** Unsupported formats that people upload by mistake: their first bytes, and a message that says what to do instead. */
const unsupported: ReadonlyArray<readonly [start: string, message: string]> = [
  ["\x89PNG", `Images are not supported. ${supported}`],
  ["\xff\xd8\xff", `Images are not supported. ${supported}`],
  ["GIF8", `Images are not supported. ${supported}`],
  ["\x1f\x8b", `Compressed archives are not supported. Upload the files individually. ${supported}`],
  ["7z\xbc\xaf", `Compressed archives are not supported. Upload the files individually. ${supported}`],
  ["Rar!", `Compressed archives are not supported. Upload the files individually. ${supported}`],
  ["MZ", `Executable files are not supported. ${supported}`],
  ["\x7fELF", `Executable files are not supported. ${supported}`],
  ["SQLite format 3", `Databases are not supported. ${supported}`],
];

/** The number of characters that text formats are recognized by. */
const TEXT_START = 20_000;

/**
 * Detects the format of a file from its content. In doubt, what the sender declared decides.
 * @throws ExtractionError when the format is not supported
 */
export function detectFormat(bytes: Uint8Array, declared: DeclaredType, warnings?: Warnings): DetectedFile {
  const first = decodeLatin1(bytes.subarray(0, 1_024));
  // A text can mention the header of PDF files.
  const isMentioned =
    !first.startsWith("%PDF-") &&
    (declared.format === "text" || (declared.format !== null && isTextFormat(declared.format)));
  const start = isMentioned ? first.replaceAll("%PDF-", "") : first;
  const archive = start.startsWith("PK\x03\x04") ? openArchive(bytes) : null;
  const binary = findFormat({ start, archive, text: "" });
  if (binary !== null) return { format: binary, text: "", archive };
  if (archive !== null) throw unsupportedArchiveError(archive);
  if (start.startsWith("\xd0\xcf\x11\xe0")) throw oldOfficeError(bytes);
  const match = unsupported.find(([magic]) => start.startsWith(magic));
  if (match) throw new ExtractionError("NOT_SUPPORTED", match[1]);
  const text = decode(bytes, declared.charset, warnings);
  return { format: detectTextFormat(text.slice(0, TEXT_START), start, declared), text, archive };
}

function findFormat(probe: FileProbe): DocumentFormat | null {
  return formats.find((format) => formatReaders[format].matches?.(probe)) ?? null;
}

const formats = Object.keys(documentFormats) as DocumentFormat[];

function detectTextFormat(text: string, start: string, declared: DeclaredType): DocumentFormat {
  const certain = findFormat({ start, archive: null, text });
  if (certain !== null) return certain;
  const { format } = declared;
  if (format !== null && format !== "text" && isTextFormat(format)) return format;
  if (/^\s*<(\?xml|svg|rss|feed)\b/.test(text)) {
    throw new ExtractionError("NOT_SUPPORTED", `XML files are not supported. ${supported}`);
  }
  return formats.find((candidate) => formatReaders[candidate].resembles?.(text)) ?? "text";
}

/** Whether a text without its format's signs can be of the format. */
const isTextFormat = (format: DocumentFormat) => formatReaders[format].resembles !== undefined;

const otherArchives: ReadonlyArray<readonly [part: RegExp, kind: string]> = [
  [/^mimetype$/, "OpenDocument files of this kind are"],
  [/^META-INF\//i, "Java archives are"],
];

function unsupportedArchiveError({ names }: Archive): ExtractionError {
  const kind = otherArchives.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? "ZIP archives are";
  return new ExtractionError("NOT_SUPPORTED", `${kind} not supported. Upload the files individually. ${supported}`);
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
 * encoding that the page declares, and the encoding of its language. UTF-8 comes before the specified encodings, because bytes that are
 * valid UTF-8 are hardly ever in another encoding, and the specifications can be wrong.
 */
export function decode(bytes: Uint8Array, charset: string | null, warnings?: Warnings): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return withoutNul(new TextDecoder("utf-16le").decode(bytes));
  if (first === 0xfe && second === 0xff) return withoutNul(new TextDecoder("utf-16be").decode(bytes));
  const start = bytes.subarray(0, 65_536);
  if (start.includes(0)) {
    const utf16 = charset?.startsWith("utf-16") ? charset : findUtf16(start);
    if (utf16 !== null) return withoutNul(new TextDecoder(utf16).decode(bytes));
    // Some programs fill fields with NUL characters. A file with many of them, or other control characters, is no text.
    if (countControls(start) > start.length * MAX_CONTROLS)
      throw new ExtractionError("NOT_SUPPORTED", `This is not a text file. ${supported}`);
  }
  const declared = legacyCharset(charset) ?? readDeclaredEncoding(bytes);
  // ISO-2022-JP consists of ASCII bytes, which are valid UTF-8 as well.
  if (declared === "iso-2022-jp" && isAscii(bytes)) return withoutNul(new TextDecoder(declared).decode(bytes));
  try {
    return withoutNul(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const isUtf8 = declared === null && charset === "utf-8";
    const guess = declared === null && !isUtf8 ? guessEncoding(bytes) : null;
    const encoding = declared ?? guess?.encoding ?? "utf-8";
    const text = withoutNul(new TextDecoder(encoding).decode(bytes));
    if (guess !== null && (!guess.isCertain || isOtherScript(text))) warnings?.add("ENCODING_UNKNOWN");
    const replaced = text.match(/\ufffd/g)?.length ?? 0;
    if (replaced > 0) warnings?.add("CHARACTERS_REPLACED", "", replaced);
    return text;
  }
}

/** The byte order of UTF-16 without a mark: every other byte of the ASCII characters in it is zero. */
function findUtf16(bytes: Uint8Array): string | null {
  const zeros = [0, 0];
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const encoding = odd > 20 * even ? "utf-16le" : even > 20 * odd ? "utf-16be" : null;
  if (encoding === null || even + odd < MIN_UTF16_ZEROS) return null;
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length & ~1));
  const strange = text.match(/(?![\t\n\r\f])[\p{Cc}\p{Co}\ufffd]/gu)?.length ?? 0;
  return strange <= text.length * MAX_CONTROLS ? encoding : null;
}

const MIN_UTF16_ZEROS = 4;
/** The share of control characters that a text can have. */
const MAX_CONTROLS = 0.02;
const countControls = (bytes: Uint8Array) =>
  bytes.reduce((count, byte) => (byte < 9 || (byte > 13 && byte < 32) ? count + 1 : count), 0);

const MIN_ACCENTED = 6;

/**
 * Whether text that was read as Windows-1252 is in another script. Western languages hardly ever have three accented
 * letters beside each other, which most words of Cyrillic, Greek, Arabic and East Asian text have.
 */
function isOtherScript(text: string): boolean {
  const start = text.slice(0, TEXT_START);
  const count = start.match(/[\u0080-\uffff]/g)?.length ?? 0;
  const inRuns = start.match(/[\u0080-\uffff]{3,}/g)?.reduce((sum, run) => sum + run.length, 0) ?? 0;
  return count >= MIN_ACCENTED && inRuns > count / 2;
}

const DECLARED_WITHIN = 65_536;
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
