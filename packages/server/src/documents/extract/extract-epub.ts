import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { decodeXml, findPart, findTitle } from "./read-zip.ts";
import type { Block } from "./split-passages.ts";
import { resolveName } from "./walk-xml.ts";

const MAX_CHAPTERS = 5_000;
const textPart = /\.(xhtml|html?|xml|opf|svg)$/i;

/** Reads an e-book: its chapters in the order of its spine. */
export function extractEpub({ archive, onProgress, warnings }: FileInput): FileContent {
  const parts: ReadonlyMap<string, Uint8Array> = archive?.unpack((name) => textPart.test(name)) ?? new Map();
  const read = (name: string) => {
    const found = findPart(parts, name);
    return found === null ? null : decodeXml(parts.get(found) ?? new Uint8Array());
  };
  const [, packageName = ""] =
    /<(?:\w+:)?rootfile\b[^>]*\bfull-path\s*=\s*["']([^"']+)/.exec(read("META-INF/container.xml") ?? "") ?? [];
  const packageText = read(packageName);
  if (packageText === null) throw new ExtractionError("DAMAGED", "The e-book does not say which files it consists of.");
  if (isEncrypted(read("META-INF/encryption.xml") ?? "")) {
    throw new ExtractionError("ENCRYPTED", "The e-book is protected (DRM). Upload a copy without protection.");
  }
  const blocks: Block[] = [];
  const chapters = readSpine(packageText).slice(0, MAX_CHAPTERS);
  for (const [index, href] of chapters.entries()) {
    onProgress(index, chapters.length);
    const chapter = read(resolveName(packageName, href));
    if (chapter === null) warnings.add("UNREADABLE_PAGES", href);
    else blocks.push(...extractHtml(chapter, { isBook: true }).blocks);
  }
  return { title: findTitle(packageText), blocks };
}

/** The addresses of the chapters. */
function readSpine(packageText: string): string[] {
  const items = new Map<string, string>();
  for (const [item] of packageText.matchAll(/<(?:\w+:)?item\b[^>]{1,2000}>/g)) {
    const [id, href] = [readAttribute(item, "id"), readAttribute(item, "href")];
    if (id && href) items.set(id, href);
  }
  return [...packageText.matchAll(/<(?:\w+:)?itemref\b[^>]{1,1000}>/g)].flatMap(
    ([item]) => items.get(readAttribute(item, "idref")) ?? [],
  );
}

const readAttribute = (tag: string, name: string) =>
  (new RegExp(`\\s${name}\\s*=\\s*["']([^"']{1,1000})["']`).exec(tag)?.[1] ?? "").replaceAll("&amp;", "&");

/** Whether chapters are encrypted. Books without protection may encrypt fonts. */
const isEncrypted = (encryption: string) => /<(?:\w+:)?CipherReference\b[^>]*\.x?html?["']/i.test(encryption);
