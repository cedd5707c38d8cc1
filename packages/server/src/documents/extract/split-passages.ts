import type { Passage } from "../search/prepare-document.ts";

/** A paragraph, list item, table row or similar unit of text. */
export type Block = {
  text: string;
  /** headings above the block, outermost first */
  headings: readonly string[];
  /** counts from 1; null for formats without pages */
  page: number | null;
};

/**
 * Passage sizes in Latin letters. On the labeled test collections, passages of about a thousand letters rank best. A
 * Chinese or Japanese character carries about as much information as two and a half letters.
 */
const TARGET = 1_000;
const MAX = 1_500;
const CJK_EXTRA = 1.5;
/** Maximum length of a passage's heading. */
const MAX_HEADING = 300;

const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/**
 * Splits a document into passages. A passage never crosses a heading or a page, so that its citation is exact. Short
 * blocks are joined, and long ones are split between sentences.
 */
export function splitPassages(blocks: Iterable<Block>): Passage[] {
  const passages: Passage[] = [];
  let current: { heading: string | null; page: number | null; texts: string[]; size: number } | null = null;

  const flush = () => {
    if (!current) return;
    const { heading, page, texts } = current;
    passages.push({ ordinal: passages.length, heading, page, text: texts.join("\n"), part: "body" });
    current = null;
  };

  for (const block of blocks) {
    const heading = joinHeadings(block.headings);
    for (const text of cut(block.text)) {
      const size = estimateSize(text);
      const fits =
        current && current.heading === heading && current.page === block.page && current.size + size <= TARGET;
      if (!fits) flush();
      current ??= { heading, page: block.page, texts: [], size: 0 };
      current.texts.push(text);
      current.size += size;
    }
  }
  flush();
  return passages;
}

/**
 * Creates the passages of an FAQ entry. The wordings of its question make the passages of its answer easier to find.
 */
export function splitFaq({ question, otherWordings, answer }: FaqText): Passage[] {
  const wordings = [question, ...otherWordings].map((text, ordinal) => ({
    ordinal,
    heading: null,
    page: null,
    text,
    part: "question" as const,
  }));
  const blocks = splitParagraphs(answer).map((text) => ({ text, headings: [question], page: null }));
  const body = splitPassages(blocks).map((passage) => ({ ...passage, ordinal: passage.ordinal + wordings.length }));
  return [...wordings, ...body];
}

type FaqText = { question: string; otherWordings: readonly string[]; answer: string };

/** The text that the dashboard shows, with Markdown headings. */
export function* readableText(blocks: Iterable<Block>): Generator<string> {
  let shown: readonly string[] = [];
  let isFirst = true;
  for (const { text, headings } of blocks) {
    const common = headings.findIndex((heading, depth) => heading !== shown[depth]);
    const from = common === -1 ? headings.length : common;
    for (const [depth, heading] of headings.entries()) {
      if (depth < from) continue;
      yield `${isFirst ? "" : "\n\n"}${"#".repeat(Math.min(depth + 1, 6))} ${heading}`;
      isFirst = false;
    }
    yield `${isFirst ? "" : "\n\n"}${text}`;
    isFirst = false;
    shown = headings;
  }
}

function splitParagraphs(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "");
}

/** The two innermost headings: enough context for the search and short enough for a citation. */
function joinHeadings(headings: readonly string[]): string | null {
  const inner = headings.slice(-2).join(" › ");
  return inner === "" ? null : inner.slice(0, MAX_HEADING).toWellFormed();
}

function estimateSize(text: string): number {
  return text.length + CJK_EXTRA * (text.match(cjk)?.length ?? 0);
}

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

/** Splits a text into pieces of at most `MAX`, between sentences, or between words within a longer sentence. */
function cut(text: string): string[] {
  if (estimateSize(text) <= MAX) return [text];
  const pieces: string[] = [];
  let piece = "";
  let size = 0;
  const add = (part: string) => {
    const partSize = estimateSize(part);
    if (size > 0 && size + partSize > TARGET) {
      pieces.push(piece.trim());
      piece = "";
      size = 0;
    }
    piece += part;
    size += partSize;
  };
  // The segmenter gets bounded windows, because its run time grows faster than linearly with some inputs.
  for (const window of splitIntoWindows(text, 20_000)) {
    for (const { segment } of sentences.segment(window)) {
      if (estimateSize(segment) <= MAX) add(segment);
      else for (const part of splitAtSpaces(segment)) add(part);
    }
  }
  if (piece.trim() !== "") pieces.push(piece.trim());
  return pieces;
}

function* splitIntoWindows(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + length, text.length);
    const space = end < text.length ? text.lastIndexOf(" ", end) : -1;
    if (space > start + length / 2) end = space + 1;
    else if (isHighSurrogate(text, end - 1) && end < text.length) end++;
    yield text.slice(start, end);
    start = end;
  }
}

/** Splits a text into pieces of at most 400 characters, at spaces if possible. */
function splitAtSpaces(text: string): string[] {
  return [...splitIntoWindows(text, 400)];
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code < 0xdc00;
}
