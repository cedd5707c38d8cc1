import { gunzipSync } from "node:zlib";
import { SaxesParser } from "saxes";
import { ExtractionError } from "../ingest/extraction-error.ts";

/** The sitemap protocol's limit for an uncompressed sitemap. */
const MAX_BYTES = 50 * 1024 * 1024;
/** The protocol's limit, both for the URLs in a sitemap and for the sitemaps in an index. */
const MAX_ENTRIES = 50_000;
const MAX_ADDRESS = 2_000;
const SLICE = 65_536;

/** The page URLs in a sitemap, or the sitemap URLs in a sitemap index. */
export type Sitemap = { pages: string[]; sitemaps: string[] };

/** Reads a sitemap, a sitemap index or a plain list of URLs, gzipped or not. Run this in the extraction process. */
export function readSitemap(bytes: Uint8Array): Sitemap {
  const text = new TextDecoder().decode(inflate(bytes));
  if (!/^\s*</.test(text.slice(0, 1_000))) return { pages: splitLines(text), sitemaps: [] };
  // Sitemaps have no document type declaration, which could define entities that expand without bound.
  if (/<!(DOCTYPE|ENTITY)/i.test(text.slice(0, 10_000))) {
    throw new ExtractionError("DAMAGED", "The sitemap contains a document type declaration.");
  }
  return readXml(text);
}

function readXml(text: string): Sitemap {
  const found: Sitemap = { pages: [], sitemaps: [] };
  const path: string[] = [];
  let address = "";
  const parser = new SaxesParser();
  parser.on("opentag", ({ name }) => {
    if (path.length === 0 && !/^(\w+:)?(urlset|sitemapindex)$/.test(name)) {
      throw new ExtractionError("NOT_SUPPORTED", `The file is not a sitemap: its root element is <${name}>.`);
    }
    path.push(name.replace(/^(sm|sitemap|ns\d*):/, ""));
    address = "";
  });
  parser.on("text", (part) => {
    if (path.at(-1) === "loc" && address.length < MAX_ADDRESS) address += part;
  });
  parser.on("cdata", (part) => {
    if (path.at(-1) === "loc" && address.length < MAX_ADDRESS) address += part;
  });
  parser.on("closetag", () => {
    const [, parent, name] = path;
    if (path.length === 3 && name === "loc") {
      const list = parent === "sitemap" ? found.sitemaps : found.pages;
      if (list.length < MAX_ENTRIES) list.push(address.trim());
    }
    path.pop();
  });
  parser.on("error", (error) => {
    throw new ExtractionError("DAMAGED", `The sitemap is not valid XML: ${error.message}.`);
  });
  for (let start = 0; start < text.length; start += SLICE) parser.write(text.slice(start, start + SLICE));
  parser.close();
  return found;
}

function splitLines(text: string): string[] {
  return text
    .split(/\r?\n/, MAX_ENTRIES)
    .map((line) => line.trim())
    .filter((line) => /^https?:\/\//.test(line) && line.length <= MAX_ADDRESS);
}

function inflate(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge
      ? new ExtractionError("TOO_LARGE", `The sitemap unpacks to more than ${MAX_BYTES / 1024 / 1024} MB.`)
      : new ExtractionError("DAMAGED", "The sitemap cannot be decompressed.");
  }
}
