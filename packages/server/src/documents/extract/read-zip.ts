import { inflateRawSync } from "node:zlib";
import { type FlateError, Unzip, type UnzipDecoder, type UnzipDecoderConstructor } from "fflate";
import { DomUtils, parseDocument } from "htmlparser2";
import { escapeHtml } from "../../escape-html.ts";
import { findEncoding } from "./declared-type.ts";
import { ExtractionError } from "./extraction-error.ts";

/** Limits for the total size and the number of unpacked parts. A 25 MB archive can unpack to 25 GB. */
const MAX_UNPACKED = 100 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const SLICE = 64 * 1024;

/** An archive that was recognized, whose parts are unpacked on request. */
export type Archive = {
  /** the names of the first parts */
  names: readonly string[];
  /** the part with the content, as the package of an Office file names it */
  mainPart: string | null;
  /** the type of that part, such as `…wordprocessingml.document.main+xml`, or its name without a type */
  mainType: string;
  /** the type in the part `mimetype`, which OpenDocument files and e-books have, or else in their manifest */
  mimeType: string | null;
  /** the title in the metadata of an Office file */
  title: string | null;
  unpack(isWanted: (name: string) => boolean): Map<string, Uint8Array>;
};

const MAX_NAMES = 1_000;

/** Reads what an archive says about its content. */
export function openArchive(bytes: Uint8Array): Archive {
  const names: string[] = [];
  const parts = readZip(bytes, (name) => {
    if (names.length < MAX_NAMES) names.push(name);
    return /^(_rels\/\.rels|\[Content_Types\]\.xml|mimetype|META-INF\/manifest\.xml|docProps\/core\.xml)$/i.test(name);
  });
  const mainPart = findMainPart(parts, names);
  return {
    names,
    mainPart,
    mainType: findType(parts, mainPart ?? ""),
    mimeType: findMimeType(parts, names),
    title: findTitle(readXml(parts, findPart(parts, "docProps/core.xml") ?? "")),
    unpack: (isWanted) => readZip(bytes, isWanted),
  };
}

/** The folders of Office files whose parts have no text of the document, such as copies of data that it refers to. */
const otherFolders =
  /(^|\/)((activeX|comments|ctrlProps|customXml|docProps|embeddings|externalLinks|glossary|handoutMasters|notesMasters|notesSlides|pivotCache|pivotTables|tags|theme|threadedComments)\/|charts\/(style|colors)|diagrams\/(?!data))/i;

/** Whether a part of an Office file can contain text or say where text is. Pictures and embedded files do not. */
export const isOfficeText = (name: string): boolean => /\.(xml|rels)$/i.test(name) && !otherFolders.test(name);

/** The content type of a part. Word and Excel find parts by it, whatever their folders are called. */
function findType(parts: ReadonlyMap<string, Uint8Array>, part: string): string {
  const types = readXml(parts, findPart(parts, "[Content_Types].xml") ?? "") ?? "";
  const overrides = types.match(/<(?:\w+:)?Override\b[^<>]{0,2000}>/g) ?? [];
  const override = overrides.find((tag) => tag.toLowerCase().includes(`"/${part.toLowerCase()}"`));
  return /ContentType\s*=\s*["']([^"']{1,500})/.exec(override ?? "")?.[1] ?? part;
}

function findMimeType(parts: ReadonlyMap<string, Uint8Array>, names: readonly string[]): string | null {
  const named = new TextDecoder().decode(parts.get("mimetype")).trim();
  if (named !== "") return named;
  if (names.includes("META-INF/container.xml")) return "application/epub+zip";
  const manifest = decodeXml(parts.get("META-INF/manifest.xml") ?? new Uint8Array());
  const entries = manifest.match(/<(?:\w+:)?file-entry\b[^<>]{0,2000}>/g) ?? [];
  const root = entries.find((entry) => /full-path="\/"/.test(entry)) ?? "";
  return /media-type="([^"]{1,200})"/.exec(root)?.[1] ?? null;
}

/** The part with the text, which the relationships of the package name: Word for the web writes `document2.xml`. */
function findMainPart(parts: ReadonlyMap<string, Uint8Array>, names: readonly string[]): string | null {
  const relationships = readXml(parts, findPart(parts, "_rels/.rels") ?? "") ?? "";
  const [relationship = ""] = /<[^<>]{0,2000}\/officeDocument"[^<>]{0,2000}>/.exec(relationships) ?? [];
  const [, target = ""] = /\bTarget="\/?([^"]{1,500})"/.exec(relationship) ?? [];
  const usual = [target, "word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"];
  return usual.flatMap((name) => findName(names, name) ?? [])[0] ?? null;
}

/** The title in the metadata of an Office file or e-book. */
export function findTitle(xml: string | null): string | null {
  const [title = ""] = /<dc:title\b[^<>]{0,500}>[\s\S]{1,2000}?<\/dc:title>/.exec(xml ?? "") ?? [];
  const text = DomUtils.textContent(parseDocument(title, { xmlMode: true }));
  return text.trim().slice(0, 500) || null;
}

/**
 * Unpacks the parts of an archive that `isWanted` selects by name. Checks the declared sizes first, and then the actual
 * sizes while unpacking, because the declared sizes can be wrong.
 */
function readZip(bytes: Uint8Array, isWanted: (name: string) => boolean): Map<string, Uint8Array> {
  const parts = new Map<string, Uint8Array>();
  let declared = 0;
  let unpacked = 0;
  let entries = 0;
  const unzip = new Unzip((file) => {
    if (++entries > MAX_ENTRIES)
      throw new ExtractionError("TOO_LARGE", `The file contains more than ${MAX_ENTRIES} parts.`);
    // Some programs on Windows separate folders with a backslash.
    const name = decodeName(file.name).replaceAll("\\", "/");
    if (!isWanted(name) || parts.has(name)) return;
    declared += file.originalSize ?? 0;
    if (declared > MAX_UNPACKED) throw tooLargeError();
    const chunks: Uint8Array[] = [];
    file.ondata = (error, chunk, isLast) => {
      if (error) throw damagedError(error);
      unpacked += chunk.length;
      if (unpacked > MAX_UNPACKED) throw tooLargeError();
      chunks.push(chunk);
      if (isLast) parts.set(name, Buffer.concat(chunks));
    };
    file.start();
  });
  unzip.register(inflateWithin(() => MAX_UNPACKED - unpacked));
  for (let start = 0; start < bytes.length; start += SLICE) {
    const end = Math.min(start + SLICE, bytes.length);
    push(unzip, bytes.subarray(start, end), end === bytes.length);
  }
  return parts;
}

/** Inflates parts with zlib, which takes a fraction of the time of fflate's decoder. `left` is the size that is allowed. */
function inflateWithin(left: () => number): UnzipDecoderConstructor {
  return class implements UnzipDecoder {
    static compression = 8;
    ondata: UnzipDecoder["ondata"] = () => {};
    readonly #chunks: Uint8Array[] = [];

    push(chunk: Uint8Array, isLast: boolean): void {
      this.#chunks.push(chunk);
      if (!isLast) return;
      try {
        const options = { maxOutputLength: Math.max(1, left()) };
        this.ondata(null, inflateRawSync(Buffer.concat(this.#chunks), options), true);
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLargeError() : error;
      }
    }
  };
}

/** Many programs write names in UTF-8 without the flag that says so, and fflate then reads them as Latin-1. */
function decodeName(name: string): string {
  if (!/^[\0-\xff]*[\x80-\xff]/.test(name) || /[^\0-\xff]/.test(name)) return name;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(name, "latin1"));
  } catch {
    return name;
  }
}

function push(unzip: Unzip, chunk: Uint8Array, isLast: boolean): void {
  try {
    unzip.push(chunk, isLast);
  } catch (error) {
    throw error instanceof ExtractionError ? error : damagedError(error as FlateError);
  }
}

/** The name of a part as it is spelled in the archive. Names differ in case between programs. */
export function findPart(parts: ReadonlyMap<string, Uint8Array>, name: string): string | null {
  return parts.has(name) ? name : findName([...parts.keys()], name);
}

const findName = (names: readonly string[], name: string) =>
  names.find((candidate) => candidate.toLowerCase() === name.toLowerCase()) ?? null;

/** Decodes XML by its byte order mark, its first characters or its declaration. */
export function decodeXml(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || second === 0) return new TextDecoder("utf-16le").decode(bytes);
  if ((first === 0xfe && second === 0xff) || first === 0) return new TextDecoder("utf-16be").decode(bytes);
  const start = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  const declared = findEncoding(/^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})/.exec(start)?.[1]);
  // A declaration of UTF-16 that can be read as ASCII is wrong.
  return new TextDecoder(declared?.startsWith("utf-16") ? "utf-8" : (declared ?? "utf-8")).decode(bytes);
}

/**
 * The text of an XML part, without comments and with CDATA sections as ordinary text, so that no reader has to know
 * them. Refuses document type declarations: Office never writes them, and entities can expand without bound.
 */
export function readXml(parts: ReadonlyMap<string, Uint8Array>, name: string): string | null {
  const bytes = parts.get(name);
  if (!bytes) return null;
  const decoded = decodeXml(bytes);
  const text = decoded.includes("<!") ? decoded.replace(commentOrCdata, (_, data = "") => escapeHtml(data)) : decoded;
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) {
    throw new ExtractionError(
      "DAMAGED",
      "The file contains a document type declaration, which Office files never have.",
    );
  }
  return text;
}

const commentOrCdata = /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>/g;

function tooLargeError(): ExtractionError {
  return new ExtractionError(
    "TOO_LARGE",
    `The file unpacks to more than ${MAX_UNPACKED / 1024 / 1024} MB. Split it into smaller files.`,
  );
}

function damagedError(cause: unknown): ExtractionError {
  const error = new ExtractionError(
    "DAMAGED",
    "The file is incomplete or damaged. Save it again and upload the new copy.",
  );
  error.cause = cause;
  return error;
}
