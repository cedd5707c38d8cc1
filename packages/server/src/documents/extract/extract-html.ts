import { type Handler, Parser } from "htmlparser2";
import type { OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { createContactCollector } from "./html-contact.ts";
import {
  createElement,
  type Element,
  formulaSign,
  headingLevels,
  isBlock,
  isCell,
  isFormulaGroup,
} from "./html-elements.ts";
import { createPageMetadata, type PageMetadata } from "./html-metadata.ts";
import { createTable } from "./html-table.ts";
import { formatOrdinal, type NumberStyle } from "./list-labels.ts";
import type { Block } from "./split-passages.ts";

/** The text and the metadata of a page. */
export type HtmlPage = PageMetadata & {
  blocks: Block[];
  /** the text of the last block "Contact"; null without one */
  contact: string | null;
};

const MAX_DEPTH = 2_000;
/** If the main content is a smaller share of the page's text than this, its markup is wrong and is ignored. */
const MIN_MAIN_SHARE = 0.2;
const SLICE = 65_536;

/** XHTML may close any element in its start tag: `<title/>`. In HTML, that would leave the element open. */
const xhtmlStart = /^[\s\ufeff]*<\?xml|<html\b[^<>]{0,500}\sxmlns=/i;

/**
 * Reads a page in one pass. Hidden content is included, because accordions and tabs hide content that visitors look
 * for. Navigation, page headers and footers are dropped.
 * @param options.isStartPage whether to add the contact information in headers and footers as a passage "Contact"
 */
export function extractHtml(
  html: string,
  { onProgress = () => {}, isStartPage = false }: { onProgress?: OnProgress; isStartPage?: boolean } = {},
): HtmlPage {
  const metadata = createPageMetadata();
  const content = createContentWalker();
  const contact = isStartPage ? createContactCollector() : null;
  let depth = 0;
  const handlers: Partial<Handler> = {
    onopentag(tag, attributes) {
      if (++depth > MAX_DEPTH) throw new ExtractionError("DAMAGED", "The page's elements are nested too deeply.");
      metadata.open(tag, attributes);
      content.open(tag, attributes);
      contact?.open(tag, attributes);
    },
    ontext(text) {
      metadata.text(text);
      content.text(text);
      contact?.text(text);
    },
    onclosetag(tag) {
      depth--;
      metadata.close(tag);
      content.close(tag);
      contact?.close(tag);
    },
  };
  const parser = new Parser(handlers, { recognizeSelfClosing: xhtmlStart.test(html.slice(0, 1_000)) });
  for (let start = 0; start < html.length; start += SLICE) {
    parser.write(html.slice(start, start + SLICE));
    onProgress(start, html.length);
  }
  parser.end();
  const blocks = content.blocks();
  const fallback = blocks.length === 0 ? readFallback(html) : null;
  if (fallback !== null) return fallback;
  const reached = contact?.result(blocks.map(({ text }) => text).join("\n")) ?? null;
  if (reached !== null) blocks.push({ text: reached, headings: ["Contact"], page: null });
  return { ...metadata.result(), blocks, contact: reached };
}

/** The number of characters from which on the text for browsers without JavaScript is more than a request to enable it. */
const MIN_FALLBACK = 100;
const noscriptTag = /<\/?noscript\b[^<>]{0,200}>/gi;

/** Reads the text for browsers without JavaScript of a page that has no other text. Null if there is none. */
function readFallback(html: string): HtmlPage | null {
  if (html.search(noscriptTag) === -1) return null;
  const page = extractHtml(html.replace(noscriptTag, ""));
  const text = page.blocks.map((block) => block.text).join(" ");
  return text.length < MIN_FALLBACK || /java\s?script/i.test(text) ? null : page;
}

type FoundBlock = Block & { isMain: boolean };

function createContentWalker() {
  const path: Element[] = [];
  const found: FoundBlock[] = [];
  const outline = createOutline();
  const table = createTable();
  let text = "";
  /** the latest heading while it has neither text nor other headings below it */
  let unused: { level: number; isMain: boolean } | null = null;
  const lists: OpenList[] = [];
  let superscript: { start: number; isNote: boolean } | null = null;

  /** Marks digits after digits, because 10 with a superscript 6 is not 106. Drops the numbers of footnotes. */
  function closeSuperscript({ start, isNote }: { start: number; isNote: boolean }): void {
    const raised = text.slice(start).trim();
    if (!/\d\s*$/.test(text.slice(Math.max(0, start - 10), start)) || !/^[[(]?[-+\u2212]?\d+[\])]?$/.test(raised))
      return;
    text = text.slice(0, start) + (isNote ? "" : SUPERSCRIPT + raised);
  }

  function emit(content: string): void {
    const trimmed = resolveSuperscripts(content)
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .trim();
    if (trimmed === "" || /^(-|\[[ x]\])$/.test(trimmed)) return;
    const element = path.at(-1);
    const level = element?.headingLevel ?? null;
    const isMain = element?.isMain ?? false;
    if (level !== null) {
      keepUnused(level);
      outline.open(level, trimmed);
      unused = { level, isMain };
      return;
    }
    found.push({ text: trimmed, headings: outline.headings(), page: null, isMain });
    unused = null;
  }

  /** Keeps a heading without text as text when a heading of the same or a higher level follows. */
  function keepUnused(nextLevel: number): void {
    const [title = "", ...above] = outline.headings().reverse();
    if (unused && nextLevel <= unused.level) {
      found.push({ text: title, headings: above.reverse(), page: null, isMain: unused.isMain });
    }
    unused = null;
  }

  /** Ends the current paragraph. Paragraphs within a table cell become part of the row. */
  function flush(): void {
    if (table.isInCell()) {
      text += " ";
      return;
    }
    emit(text);
    text = "";
  }

  return {
    open(tag: string, attributes: Record<string, string>): void {
      if (tag === "br") text += "\n";
      // The mark of a list item belongs to the first paragraph in it.
      if (isBlock(tag) && !isListMark(text)) flush();
      const parent = path.at(-1);
      const element = createElement(tag, attributes, parent);
      path.push(element);
      if (element.isSkipped) return;
      if (parent) {
        parent.children++;
        text += formulaSign(parent);
      }
      if (isFormulaGroup(tag, parent)) text += "(";
      if (tag === "msqrt") text += "√(";
      if (tag === "ol" || tag === "ul") lists.push(openList(tag, attributes));
      if (tag === "li" && (!isListMark(text) || /\d|[a-z]/i.test(text)))
        text += nextMark(lists.at(-1), attributes.value);
      if (struckTags.has(tag)) text += "~~";
      if (tag === "input" && /^(checkbox|radio)$/i.test(attributes.type ?? "")) {
        text += attributes.checked === undefined ? "[ ] " : "[x] ";
      }
      if (tag === "sup")
        superscript = { start: text.length, isNote: /\b(fn|footnote|reference)/i.test(attributes.class ?? "") };
      if (tag === "a" && superscript) superscript.isNote = true;
      if (tag === "thead") table.openHead();
      if ((tag === "b" || tag === "strong") && text.trim() === "") table.markBold();
      // The parser does not know that a `th` ends a `td` whose end tag is omitted.
      if (isCell(tag) && parent && isCell(parent.tag) && table.closeCell(parent.tag, text)) text = "";
      if (isCell(tag) && table.openCell(attributes)) text = "";
    },
    text(value: string): void {
      const element = path.at(-1);
      if (!element?.isSkipped) text += element?.tag === "pre" ? value : value.replace(/\s+/g, " ");
    },
    close(tag: string): void {
      const element = path.at(-1);
      if (tag === "msqrt" || isFormulaGroup(tag, path.at(-2))) text += element?.isSkipped ? "" : ")";
      if (struckTags.has(tag) && !element?.isSkipped) text = text.endsWith("~~") ? text.slice(0, -2) : `${text}~~`;
      if (tag === "sup" && superscript) {
        closeSuperscript(superscript);
        superscript = null;
      }
      if (isCell(tag) && !element?.isSkipped && table.closeCell(tag, text)) text = "";
      else if (isBlock(tag)) flush();
      else if (isCell(tag)) text += " ";
      if (tag === "thead") table.closeHead();
      if (tag === "tr") table.closeRow();
      if (tag === "table") for (const row of table.close()) emit(row);
      if ((tag === "ol" || tag === "ul") && !element?.isSkipped) lists.pop();
      if (tag === "details" || tag === "dl") {
        if (unused?.level === headingLevels) keepUnused(headingLevels);
        outline.closeQuestions();
      }
      path.pop();
    },
    blocks(): Block[] {
      emit(text);
      keepUnused(0);
      return selectMainBlocks(found);
    },
  };
}

type OpenList = { next: number; style: NumberStyle } | null;

/** An ordered list counts its items. */
function openList(tag: string, { start, type = "1" }: Record<string, string>): OpenList {
  const first = Number.parseInt(start ?? "1", 10);
  const style = /^[1aAiI]$/.test(type) ? (type as NumberStyle) : "1";
  return tag === "ol" ? { next: Number.isNaN(first) ? 1 : first, style } : null;
}

/** The mark of a list item: its number, or a dash. */
function nextMark(list: OpenList | undefined, value: string | undefined): string {
  if (!list) return "- ";
  if (value !== undefined && /^\d{1,9}$/.test(value)) list.next = Number(value);
  return `${formatOrdinal(list.next++, list.style)}. `;
}

/** Whether a text consists of the mark of a list item, whose first paragraph follows. */
const isListMark = (text: string) => /^\s*(-|\w{1,10}\.) $/.test(text);

const struckTags = new Set(["s", "del", "strike"]);

/** Stands before superscript digits until the text after them is known. */
const SUPERSCRIPT = "\uE000";

/** Superscript digits are the cents of a price, or an exponent. */
function resolveSuperscripts(text: string): string {
  if (!text.includes(SUPERSCRIPT)) return text;
  return text
    .replace(/(\p{Sc}\s?[\d.,]{1,20})\uE000(?=\d\d(?!\d))/gu, "$1.")
    .replace(/\uE000(?=\d\d\s?(?:\p{Sc}|(?:euros?|eur|usd|gbp|chf|kr|zł)(?!\p{L})))/giu, ".")
    .replaceAll(SUPERSCRIPT, "^");
}

function selectMainBlocks(found: readonly FoundBlock[]): Block[] {
  const main = found.filter(({ isMain }) => isMain);
  const countCharacters = (blocks: readonly FoundBlock[]) => blocks.reduce((sum, { text }) => sum + text.length, 0);
  const chosen = countCharacters(main) >= MIN_MAIN_SHARE * countCharacters(found) && main.length > 0 ? main : found;
  return chosen.map(({ text, headings, page }) => ({ text, headings, page }));
}

/**
 * Tracks the headings above the current position. Questions in accordions and definition lists rank below all headings.
 */
function createOutline() {
  const QUESTION = headingLevels;
  const levels: string[] = [];
  return {
    open(level: number, title: string): void {
      levels.length = Math.min(levels.length, level);
      while (levels.length < level) levels.push("");
      levels.push(title.replaceAll("\n", " ").slice(0, 500).toWellFormed());
    },
    closeQuestions(): void {
      levels.length = Math.min(levels.length, QUESTION);
    },
    headings: () => levels.filter(Boolean),
  };
}
