import { fileURLToPath } from "node:url";
import { getDocumentProxy } from "unpdf";
import type { FileContent, FileInput } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { fileLimits } from "./limits.ts";
import { type Annotation, readAnnotations } from "./pdf-annotations.ts";
import { correctWords, findReversedWords, maybeReversed } from "./pdf-ligatures.ts";
import { groupIntoLines, type Item, insertTexts, type Line, separateColumns } from "./pdf-lines.ts";
import { insertHyphens, mayHaveSoftHyphens } from "./pdf-soft-hyphens.ts";
import type { Warnings } from "./warnings.ts";

/** A gap of this many line heights starts a new paragraph. */
const PARAGRAPH_GAP = 1.6;
/** With a wide line spacing, up to this many line heights, a gap that is wider than usual starts a paragraph. */
const MAX_SPACING = 2.5;
const WIDER = 1.2;
/** Lines that repeat at the top or bottom of at least this share of the pages are headers or footers. */
const REPEATED_SHARE = 0.5;
const MIN_PAGES_FOR_REPEATS = 4;
const EDGE_LINES = 2;

/** Reads the text of a PDF page by page. */
export async function extractPdf({ bytes, onProgress, warnings }: FileInput): Promise<FileContent> {
  const pdf = await open(bytes);
  const { numPages } = pdf;
  if (numPages > fileLimits.maxPages) {
    throw new ExtractionError(
      "TOO_MANY_PAGES",
      `The PDF has ${numPages} pages. The limit is ${fileLimits.maxPages}. Split it into several files.`,
    );
  }
  const pages: Line[][] = [];
  const isHyphenLost = mayHaveSoftHyphens(bytes);
  let characters = 0;
  for (let number = 1; number <= numPages; number++) {
    const lines = await readPage(pdf, number, isHyphenLost).catch(() => null);
    if (lines === null) {
      if (numPages === 1) throw damagedError();
      warnings.add("UNREADABLE_PAGES", String(number));
    }
    characters += lines?.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    if (characters > fileLimits.maxCharacters * 1.2) break;
    pages.push(lines ?? []);
    onProgress(number, numPages);
  }
  checkText(pages, warnings);
  const repeated = findRepeatedLines(pages);
  const words = collectWords(pages);
  const blocks = withoutEdges(pages, repeated).flatMap((lines, index) =>
    joinParagraphs(lines, words).map((text) => ({ text, headings: [], page: index + 1 })),
  );
  return { title: null, blocks };
}

async function readPage(pdf: PdfDocument, number: number, isHyphenLost: boolean): Promise<Line[]> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent({ disableNormalization: true });
  if (isHyphenLost) insertHyphens(items as Item[], await page.getOperatorList());
  const pieces = (items as Item[]).map((item) => ({ ...item, str: normalize(item.str) }));
  if (pieces.some(({ str }) => maybeReversed.test(str))) {
    const corrections = findReversedWords(await page.getOperatorList());
    for (const piece of pieces) piece.str = correctWords(piece.str, corrections);
  }
  const lines = groupIntoLines(pieces);
  const texts = readAnnotations((await page.getAnnotations()) as Annotation[]);
  page.cleanup();
  return separateColumns(texts.length === 0 ? lines : insertTexts(lines, texts));
}

/** Letters that fonts join into one glyph. */
const normalize = (text: string) =>
  text.replace(/[\ufb00-\ufdff\ufe70-\ufefc]+/g, (letters) => letters.normalize("NFKC"));

/** The text that a dynamic form (XFA) shows in programs that cannot display it. */
const formShell = /^please wait\.\.\. if this message is not eventually replaced/i;
const UNREADABLE = /[\ufffd\ue000-\uf8ff]/g;

/** Reports pages and characters without text. @throws ExtractionError when there is no text at all */
function checkText(pages: readonly Line[][], warnings: Warnings): void {
  const texts = pages.map((lines) => lines.map(({ text }) => text).join(" "));
  if (texts.some((text) => formShell.test(text))) {
    if (texts.every((text) => formShell.test(text) || text === "")) {
      throw new ExtractionError(
        "NOT_SUPPORTED",
        "The PDF is a dynamic form (XFA), which only Adobe Reader shows. Print it to an ordinary PDF there and upload that.",
      );
    }
    warnings.add("FORM_NOT_READ");
  }
  if (!pages.some(hasText)) {
    throw new ExtractionError(
      "NO_TEXT",
      "The PDF has no text, so it is probably a scan. Run text recognition (OCR) on it and upload the result.",
    );
  }
  for (const [index, lines] of pages.entries()) {
    if (!hasText(lines)) warnings.add("PAGES_WITHOUT_TEXT", String(index + 1));
  }
  const unreadable = texts.reduce((sum, text) => sum + (text.match(UNREADABLE)?.length ?? 0), 0);
  if (unreadable > 0) warnings.add("UNREADABLE_CHARACTERS", "", unreadable);
}

/** Whether a page has more than its number, which a scanner can add. */
function hasText(lines: readonly Line[]): boolean {
  const text = lines.map((line) => line.text).join(" ");
  return /\p{L}/u.test(text) || (/\d/.test(text) && !pageNumber.test(text.slice(0, 100)));
}

type PdfDocument = Awaited<ReturnType<typeof open>>;

/** The predefined CMaps, which Chinese, Japanese and Korean files refer to by name. From the package pdfjs-dist. */
const characterMaps = fileURLToPath(new URL("../../../cmaps/", import.meta.url));

async function open(bytes: Uint8Array) {
  try {
    // Copied because pdf.js takes ownership of the buffer.
    return await getDocumentProxy(new Uint8Array(bytes), {
      stopAtErrors: false,
      verbosity: 0,
      cMapUrl: characterMaps,
      cMapPacked: true,
      // No picture is decoded, whatever is asked of a page.
      maxImageSize: 1,
    });
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") {
      throw new ExtractionError("ENCRYPTED", "The PDF is password-protected. Remove the password and upload it again.");
    }
    throw damagedError();
  }
}

const damagedError = () =>
  new ExtractionError("DAMAGED", "The PDF is incomplete or damaged. Save it again and upload the new copy.");

/** Joins lines into paragraphs based on the gaps between them, and joins words that were hyphenated at a line end. */
function joinParagraphs(lines: readonly Line[], words: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const usualGap = measureGap(lines);
  let current = "";
  let previous: Line | null = null;
  for (const line of lines) {
    const gap = previous ? Math.abs(previous.y - line.y) : 0;
    const height = Math.max(previous?.height ?? 0, line.height, 1);
    if (previous && gap > Math.max(PARAGRAPH_GAP * height, usualGap <= MAX_SPACING * height ? WIDER * usualGap : 0)) {
      found.push(current);
      current = "";
    }
    current = joinLine(current, line.text, words);
    previous = line;
  }
  if (current !== "") found.push(current);
  return found;
}

/** The median of the gaps between lines. Some files have a wide line spacing. */
function measureGap(lines: readonly Line[]): number {
  const gaps = lines.flatMap((line, index) => (index === 0 ? [] : [Math.abs((lines[index - 1]?.y ?? 0) - line.y)]));
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
}

/** The words that occur within lines, in lower case. */
function collectWords(pages: readonly Line[][]): Set<string> {
  const words = new Set<string>();
  for (const { text } of pages.flat()) {
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:[-\u2010][\p{L}\p{N}]+)*/gu)) words.add(word);
  }
  return words;
}

function joinLine(before: string, line: string, words: ReadonlySet<string>): string {
  if (before === "") return line;
  const [, start] = /(?:^|[^\p{L}\p{N}-])([\p{L}\p{N}-]{1,100})[-\u00ad\u2010]$/u.exec(before.slice(-102)) ?? [];
  const [end] = /^[\p{L}\p{N}]{1,100}/u.exec(line) ?? [];
  if (start && end) return (isHyphenKept({ start, end, before, words }) ? before : before.slice(0, -1)) + line;
  const isCjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(before);
  return isCjk || isDividedKorean(before, line, words) ? before + line : `${before} ${line}`;
}

/** Korean words are divided at line ends without a hyphen. */
function isDividedKorean(before: string, line: string, words: ReadonlySet<string>): boolean {
  const [start] = /\p{Script=Hangul}{1,20}$/u.exec(before.slice(-20)) ?? [];
  const [end] = /^\p{Script=Hangul}{1,20}/u.exec(line) ?? [];
  return start !== undefined && end !== undefined && words.has(start + end);
}

/** Whether the hyphen belongs to the word: in codes, names and compounds, but not in a word that was divided. */
function isHyphenKept({
  start,
  end,
  before,
  words,
}: {
  start: string;
  end: string;
  before: string;
  words: ReadonlySet<string>;
}): boolean {
  if (before.endsWith("\u00ad")) return false;
  if (!/\p{Ll}$/u.test(start) || !/^\p{Ll}+$/u.test(end)) return true;
  const [first, second] = [start.toLowerCase(), end.toLowerCase()];
  if (words.has(first + second)) return false;
  return words.has(`${first}-${second}`) || /^(well|self|non)$/.test(first);
}

/**
 * Finds headers and footers: lines at page edges that repeat exactly, and page numbers. Any other line that contains
 * different numbers on each page is content, such as a row of a price list or "Chapter 3". So is a line that also
 * occurs away from the edges.
 */
function findRepeatedLines(pages: readonly Line[][]): Set<string> {
  if (pages.length < MIN_PAGES_FOR_REPEATS) return new Set();
  const counts = new Map<string, number>();
  const inside = new Set<string>();
  for (const [page, lines] of pages.entries()) {
    const edges = new Set<string>();
    for (const [index, { text }] of lines.entries()) {
      if (isAtEdge(index, lines.length)) edges.add(shapeOf(text, page));
      else inside.add(maskNumbers(text));
    }
    for (const shape of edges) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  const frequent = [...counts].filter(([, count]) => count >= REPEATED_SHARE * pages.length);
  return new Set(frequent.map(([shape]) => shape).filter((shape) => !inside.has(maskNumbers(shape.slice(OFFSET)))));
}

/** Removes the page numbers, and the header and footer, which are kept where they occur first. */
function withoutEdges(pages: readonly Line[][], repeated: ReadonlySet<string>): ReadonlyArray<readonly Line[]> {
  const kept = new Set<string>();
  return pages.map((lines, page) => {
    const body = lines.filter(({ text }, index) => {
      const shape = shapeOf(text, page);
      if (!isAtEdge(index, lines.length) || !repeated.has(shape)) return true;
      if (shape.startsWith("#") || kept.has(shape)) return false;
      kept.add(shape);
      return true;
    });
    return body.length === 0 ? lines : body;
  });
}

const isAtEdge = (index: number, count: number) => index < EDGE_LINES || index >= count - EDGE_LINES;

/** A page number: alone, between dashes, with the number of pages, or after the word for "page". */
const pageNumber =
  /^[-–—|\s]*(?:(?:page|p\.|seite|s\.|página|pág\.|pagina|pag\.|strona|str\.|sida|side|sivu|oldal|sayfa|стр\.|страница)\s*)?(\d{1,4})(?:\s*(?:\/|of|von|de|di|sur|van|av|z|из)\s*\d{1,4})?[-–—|\s]*$/iu;

/** The length of the prefix that `shapeOf` adds. */
const OFFSET = 1;

/** The same text for lines that repeat: a page number is replaced with its distance from the page's position. */
function shapeOf(text: string, page: number): string {
  const [, number] = pageNumber.exec(text.slice(0, 100)) ?? [];
  if (!number) return `=${text}`;
  return `#${text.replace(number, String(Number(number) - page))}`;
}

const maskNumbers = (text: string) => text.replace(/-?\d+/g, "#");
