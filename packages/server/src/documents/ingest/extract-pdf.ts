import { getDocumentProxy } from "unpdf";
import type { OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { fileLimits } from "./limits.ts";
import type { Block } from "./split-passages.ts";

/** A piece of text from pdf.js: its position, its height, and whether a line ends after it. */
type Item = { str: string; transform: number[]; height: number; hasEOL: boolean };
type Line = { text: string; y: number; height: number };

/** A gap of this many line heights starts a new paragraph. */
const PARAGRAPH_GAP = 1.6;
/** Lines at the top or bottom of at least this share of the pages are headers or footers. */
const REPEATED_SHARE = 0.5;
const MIN_PAGES_FOR_REPEATS = 4;
const EDGE_LINES = 2;

/** Reads the text of a PDF page by page. */
export async function extractPdf(
  bytes: Uint8Array,
  onProgress: OnProgress,
): Promise<{ title: string | null; blocks: Block[] }> {
  const pdf = await open(bytes);
  const { numPages } = pdf;
  if (numPages > fileLimits.maxPages) {
    throw new ExtractionError(
      "TOO_MANY_PAGES",
      `The PDF has ${numPages} pages. The limit is ${fileLimits.maxPages}. Split it into several files.`,
    );
  }
  const pages: Line[][] = [];
  let characters = 0;
  for (let number = 1; number <= numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const lines = groupIntoLines(items as Item[]);
    characters += lines.reduce((sum, { text }) => sum + text.length, 0);
    if (characters > fileLimits.maxCharacters * 1.2) break;
    pages.push(lines);
    page.cleanup();
    onProgress(number, numPages);
  }
  if (!pages.flat().some(({ text }) => /\p{L}/u.test(text))) {
    throw new ExtractionError(
      "NO_TEXT",
      "The PDF has no text, so it is probably a scan. Run text recognition (OCR) on it and upload the result.",
    );
  }
  const repeated = findRepeatedLines(pages);
  const blocks = pages.flatMap((lines, index) =>
    joinParagraphs(withoutEdges(lines, repeated)).map((text) => ({ text, headings: [], page: index + 1 })),
  );
  return { title: null, blocks };
}

async function open(bytes: Uint8Array) {
  try {
    // Copied because pdf.js takes ownership of the buffer.
    return await getDocumentProxy(new Uint8Array(bytes), { stopAtErrors: false, verbosity: 0 });
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") {
      throw new ExtractionError("ENCRYPTED", "The PDF is password-protected. Remove the password and upload it again.");
    }
    throw new ExtractionError("DAMAGED", "The PDF is incomplete or damaged. Save it again and upload the new copy.");
  }
}

function groupIntoLines(items: readonly Item[]): Line[] {
  const lines: Line[] = [];
  let text = "";
  let y = 0;
  let height = 0;
  for (const { str, transform, height: itemHeight, hasEOL } of items) {
    if (text === "") {
      y = transform[5] ?? 0;
      height = itemHeight;
    }
    text += str;
    height = Math.max(height, itemHeight);
    if (!hasEOL) continue;
    push();
  }
  push();
  return lines;

  function push() {
    const content = text.replaceAll("\0", "").replace(/\s+/g, " ").trim();
    if (content !== "") lines.push({ text: content, y, height });
    text = "";
    height = 0;
  }
}

/** Joins lines into paragraphs based on the gaps between them, and joins words that were hyphenated at a line end. */
function joinParagraphs(lines: readonly Line[]): string[] {
  const found: string[] = [];
  let current = "";
  let previous: Line | null = null;
  for (const line of lines) {
    const gap = previous ? Math.abs(previous.y - line.y) : 0;
    const height = Math.max(previous?.height ?? 0, line.height, 1);
    if (previous && gap > PARAGRAPH_GAP * height) {
      found.push(current);
      current = "";
    }
    current = joinLine(current, line.text);
    previous = line;
  }
  if (current !== "") found.push(current);
  return found;
}

function joinLine(before: string, line: string): string {
  if (before === "") return line;
  if (/\p{L}[-\u00ad\u2010]$/u.test(before) && /^\p{Ll}/u.test(line)) return before.slice(0, -1) + line;
  const isCjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(before);
  return isCjk ? before + line : `${before} ${line}`;
}

/** Finds headers and footers: lines at page edges that repeat, ignoring differences in digits. */
function findRepeatedLines(pages: readonly Line[][]): Set<string> {
  if (pages.length < MIN_PAGES_FOR_REPEATS) return new Set();
  const counts = new Map<string, number>();
  for (const lines of pages) {
    const edges = lines.filter((_, index) => isAtEdge(index, lines.length));
    for (const shape of new Set(edges.map(({ text }) => maskNumbers(text)))) {
      counts.set(shape, (counts.get(shape) ?? 0) + 1);
    }
  }
  const frequent = [...counts].filter(([, count]) => count >= REPEATED_SHARE * pages.length);
  return new Set(frequent.map(([shape]) => shape));
}

/** Removes a page's header and footer. A page that consists of nothing else is left unchanged. */
function withoutEdges(lines: readonly Line[], repeated: ReadonlySet<string>): readonly Line[] {
  const body = lines.filter(({ text }, index) => !isAtEdge(index, lines.length) || !repeated.has(maskNumbers(text)));
  return body.length === 0 ? lines : body;
}

const isAtEdge = (index: number, count: number) => index < EDGE_LINES || index >= count - EDGE_LINES;

const maskNumbers = (text: string) => text.replace(/\d+/g, "#");
