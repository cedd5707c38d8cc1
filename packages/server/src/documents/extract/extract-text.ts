import { extractHtml } from "./extract-html.ts";
import type { FileContent } from "./extracted.ts";
import type { Block } from "./split-passages.ts";
import { areNamesUsed, labelRow } from "./table-blocks.ts";

const heading = /^(#{1,6})\s+(.+?)\s*#*\s*$/;
const underline = /^(=+|-{3,})\s*$/;
const fence = /^\s*(```|~~~)/;
const listItem = /^\s*([-*+]|\d+[.)])\s+/;

/**
 * Separates the front matter, which is metadata for a site generator, from the text, and returns its title. The first
 * line must be a key, because text can stand between two rulers.
 */
function splitFrontMatter(text: string): { title: string | null; content: string } {
  const [matter, , fields = ""] =
    /^(---|\+\+\+)[ \t]*\r?\n((?:[\w-]{1,100}[ \t]*[:=]|#)[\s\S]{0,10000}?)\r?\n\1[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (!matter) return { title: null, content: text };
  const [, title = ""] = /^title[ \t]*[:=][ \t]*(.{1,500}?)[ \t]*$/im.exec(fields) ?? [];
  const unquoted = title.replace(/^(["'])(.*)\1$/, "$2").trim();
  return { title: unquoted || null, content: text.slice(matter.length) };
}

/** Reads plain text, in which the signs of Markdown for headings, lists and tables are common. */
export function extractText(text: string): FileContent {
  const { title, content } = splitFrontMatter(text);
  return { title, blocks: splitBlocks(content, false) };
}

/** Reads Markdown, which can contain HTML. */
export function extractMarkdown(text: string): FileContent {
  const { title, content } = splitFrontMatter(text);
  return { title, blocks: splitBlocks(content.replace(embeddedImage, "](#)"), true) };
}

/** The bytes of a picture as the address of an image. */
const embeddedImage = /\]\(data:[^()\s]*\)/gi;

/** Splits text into blocks. Recognizes headings, paragraphs and tables, and leaves code blocks unchanged. */
function splitBlocks(text: string, hasHtml: boolean): Block[] {
  const blocks: Block[] = [];
  const headings: string[] = [];
  let lines: string[] = [];
  let isInFence = false;

  const flush = () => {
    const content = lines.join("\n").trim();
    lines = [];
    if (content === "") return;
    blocks.push({ text: content, headings: headings.filter(Boolean), page: null });
    isUnused = false;
  };
  let isUnused = false;
  const keepUnused = () => {
    const [title = "", ...above] = headings.filter(Boolean).reverse();
    if (isUnused && title !== "") blocks.push({ text: title, headings: above.reverse(), page: null });
    isUnused = false;
  };
  const open = (level: number, title: string) => {
    flush();
    if (level <= headings.length) keepUnused();
    isUnused = true;
    headings.length = Math.min(headings.length, level - 1);
    while (headings.length < level - 1) headings.push("");
    headings.push(removeInlineMarkup(title));
  };

  const all = text.replace(/\r\n?/g, "\n").split("\n");
  for (let index = 0; index < all.length; index++) {
    const line = (all[index] ?? "").trimEnd();
    if (fence.test(line)) {
      isInFence = !isInFence;
      if (!isInFence) flush();
      continue;
    }
    if (isInFence) {
      lines.push(line);
      continue;
    }
    const html = hasHtml ? readHtml(all, index) : null;
    if (html !== null) {
      flush();
      for (const block of html.blocks) {
        blocks.push({ ...block, headings: [...headings.filter(Boolean), ...block.headings] });
        isUnused = false;
      }
      index += html.count - 1;
      continue;
    }
    const table = readTable(all, index);
    if (table !== null) {
      flush();
      for (const row of table.lines) {
        lines.push(removeInlineMarkup(hasHtml ? withoutTags(row) : row));
        flush();
      }
      index += table.count - 1;
      continue;
    }
    const [, marks, title] = heading.exec(line.slice(0, 1_000)) ?? [];
    if (marks && title) open(marks.length, hasHtml ? withoutTags(title) : title);
    else if (underline.test(line) && lines.length === 1) open(line.startsWith("=") ? 1 : 2, lines.splice(0).join());
    else if (line === "") flush();
    else {
      if (listItem.test(line)) flush();
      lines.push(removeInlineMarkup(hasHtml ? withoutTags(line) : line));
    }
  }
  flush();
  keepUnused();
  return blocks;
}

/** Lines that begin HTML, and what ends it. Other elements end at an empty line, after which Markdown continues. */
const htmlStarts: ReadonlyArray<readonly [start: RegExp, end: RegExp]> = [
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<table\b/i, /<\/table>/i],
  [/^ {0,3}<(?:script|style|pre)\b/i, /<\/(?:script|style|pre)>/i],
  [
    /^ {0,3}<\/?(?:address|article|aside|blockquote|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|iframe|legend|li|main|menu|nav|ol|option|p|section|summary|tbody|td|tfoot|th|thead|tr|ul)\b[^<]*>/i,
    /^\s*$/,
  ],
];

/** Reads the HTML that begins at a line. HTML without its end reaches to the end of the text. */
function readHtml(lines: readonly string[], start: number): { blocks: Block[]; count: number } | null {
  const first = (lines[start] ?? "").slice(0, 1_000);
  const [, end] = htmlStarts.find(([pattern]) => pattern.test(first)) ?? [];
  if (!end) return null;
  const last = lines.findIndex((line, index) => index >= start && end.test(line));
  const count = (last === -1 ? lines.length : last + 1) - start;
  return { blocks: extractHtml(`<main>${lines.slice(start, start + count).join("\n")}</main>`).blocks, count };
}

/** Removes comments and the tags of inline elements outside of code. A raised number stays apart from the one before it. */
function withoutTags(line: string): string {
  if (!line.includes("<") || line.length > 20_000) return line;
  return line
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`")
        ? part
        : part
            .replace(/<!--[\s\S]*?-->/g, "")
            .replace(/(?<=\d)<sup\b[^<>]*>(?=\d)/gi, "^")
            .replace(/<br\s*\/?>/gi, " ")
            .replace(/<\/?(?:a|abbr|b|em|font|i|img|ins|kbd|mark|small|span|strong|sub|sup|u)(?:\s[^<>]*)?\/?>/gi, ""),
    )
    .join("");
}

const delimiterRow = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Reads the table that begins at a line. Each of its rows repeats the header. */
function readTable(lines: readonly string[], start: number): { lines: string[]; count: number } | null {
  const first = lines[start] ?? "";
  const delimiters = (lines[start + 1] ?? "").slice(0, 2_000);
  if (!first.includes("|") || !delimiters.includes("|") || !delimiterRow.test(delimiters)) return null;
  const header = splitCells(first);
  if (header.length !== splitCells(delimiters).length) return null;
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.includes("|"));
  const body = end === -1 ? rows : rows.slice(0, end);
  const labelled = body.map((row) => labelRow(header, splitCells(row)));
  const isUsed = areNamesUsed(header, body.map(splitCells));
  return { lines: isUsed ? labelled : [labelRow([], header), ...labelled], count: body.length + 2 };
}

const splitCells = (line: string) =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").trim());

/** Replaces links with their text and removes emphasis markers. */
function removeInlineMarkup(line: string): string {
  if (line.length > 20_000) return line;
  return line
    .replace(/!\[([^\][]{0,500})\]\([^()\s]{1,2000}\)/g, "$1")
    .replace(/!?\[([^\][]{1,500})\]\([^()\s]{1,2000}\)/g, "$1")
    .replace(/(\*\*|__)(?=\S)([^*_]{1,500}?)\1/g, "$2");
}
