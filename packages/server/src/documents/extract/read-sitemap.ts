import { constants, gunzipSync } from "node:zlib";
import { Parser } from "htmlparser2";
import { ExtractionError } from "./extraction-error.ts";
import { decode } from "./file-probe.ts";
import { isHtml } from "./text-signs.ts";

/** The sitemap protocol's limit for an uncompressed sitemap. */
const MAX_BYTES = 50 * 1024 * 1024;
/** The protocol's limit, both for the URLs in a sitemap and for the sitemaps in an index. */
const MAX_ENTRIES = 50_000;
const MAX_ADDRESS = 2_000;
const SLICE = 65_536;
/** The number of characters at the end in which the root element closes. Generators add comments after it. */
const END_LENGTH = 2_000;

/** The page URLs in a sitemap or feed, or the sitemap URLs in a sitemap index. `isCut` means that its end is missing. */
export type Sitemap = { pages: string[]; sitemaps: string[]; isCut: boolean };

/**
 * Reads a sitemap, a sitemap index, a feed or a plain list of URLs, gzipped or not, in any encoding. A sitemap that is
 * not valid XML is read as far as its addresses can be recognized, as search engines do. Run this in the extraction
 * process.
 * @throws ExtractionError `NOT_SUPPORTED` for an HTML page, `DAMAGED` for a file without any recognizable address
 */
export function readSitemap(bytes: Uint8Array): Sitemap {
  const content = inflate(inflate(bytes));
  const text = decode(content, utf16Charset(content)).trimStart();
  if (text === "") return { pages: [], sitemaps: [], isCut: false };
  if (isHtml(text)) throw new ExtractionError("NOT_SUPPORTED", "The file is an HTML page, not a sitemap.");
  const lines = splitLines(text);
  if (lines.length > 0) return { pages: lines, sitemaps: [], isCut: false };
  return readXml(text);
}

/** The encoding of UTF-16 without a byte order mark, recognized by the first character, which is ASCII. */
function utf16Charset([first, second]: Uint8Array): string | null {
  if (first !== 0 && second === 0) return "utf-16le";
  return first === 0 && second !== 0 ? "utf-16be" : null;
}

/** Elements that contain the address of a page, or of another sitemap. */
const parents = new Set(["url", "sitemap", "item", "entry"]);

/**
 * The addresses in `loc` of a sitemap, and in `link` of the items of RSS and the entries of Atom. The parser forgives
 * what is not valid XML and expands no entities of a document type. Addresses of images and videos have other prefixes.
 */
function readXml(text: string): Sitemap {
  const pages = new Set<string>();
  const sitemaps = new Set<string>();
  let root = "";
  let parent = "";
  let address: string | null = null;
  let isAtEnd = false;
  const add = (written: string) => {
    const list = parent === "sitemap" ? sitemaps : pages;
    const trimmed = written.trim();
    if (parent !== "" && trimmed !== "" && list.size < MAX_ENTRIES) list.add(trimmed);
  };
  const parser = new Parser(
    {
      onopentag(written, { href, rel = "alternate" }) {
        const name = written.replace(/^(sm|sitemap|ns\d*|atom):/i, "").toLowerCase();
        if (/^(urlset|sitemapindex|rss|rdf:rdf|feed)$/.test(name)) root ||= written;
        if (parents.has(name)) parent = name;
        if (name === "loc" || name === "link") address = "";
        // Atom links with another relation lead to comments, editors and files.
        if (name === "link" && href && rel === "alternate") add(href.slice(0, MAX_ADDRESS));
      },
      ontext(part) {
        if (address !== null && address.length < MAX_ADDRESS) address += part;
      },
      onclosetag() {
        // At the end of the file, the parser closes what is open. An address that is cut there is a wrong one.
        if (address !== null && !isAtEnd) add(address);
        address = null;
      },
    },
    { xmlMode: true },
  );
  for (let start = 0; start < text.length; start += SLICE) parser.write(text.slice(start, start + SLICE));
  isAtEnd = true;
  parser.end();
  if (root === "" && pages.size + sitemaps.size === 0) {
    throw new ExtractionError("DAMAGED", "The file is not a sitemap: no address in it can be recognized.");
  }
  const isCut = root !== "" && !text.slice(-END_LENGTH).includes(`</${root}`) && !/\/>\s*$/.test(text);
  return { pages: [...pages], sitemaps: [...sitemaps], isCut };
}

function splitLines(text: string): string[] {
  return text
    .split(/\r\n?|\n/, MAX_ENTRIES)
    .map((line) => line.trim())
    .filter((line) => /^https?:\/\/[^<>]*$/.test(line) && line.length <= MAX_ADDRESS);
}

function inflate(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    // A file that is cut is read up to its end.
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge
      ? new ExtractionError("TOO_LARGE", `The sitemap unpacks to more than ${MAX_BYTES / 1024 / 1024} MB.`)
      : new ExtractionError("DAMAGED", "The sitemap cannot be decompressed.");
  }
}
