import { type Handler, Parser } from "htmlparser2";
import type { OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { linkedAddress, protectedEmail, showsAddress } from "./html-addresses.ts";
import { createContactCollector } from "./html-contact.ts";
import {
  createElement,
  type Element,
  formulaSign,
  headingLevels,
  isBlockTag,
  isCell,
  isFormulaGroup,
  rootElement,
} from "./html-elements.ts";
import { createChoices, createLists, isListMark } from "./html-lists.ts";
import { labelOf } from "./html-marks.ts";
import { createPageMetadata, type PageMetadata } from "./html-metadata.ts";
import { createParagraph, resolveSuperscripts } from "./html-paragraph.ts";
import { createTable } from "./html-table.ts";
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

type HtmlOptions = {
  onProgress?: OnProgress;
  /** whether to add the contact information in headers and footers as a passage "Contact" */
  isStartPage?: boolean;
  /** whether all of it is content, as in the chapters of a book */
  isBook?: boolean;
  /** whether navigation is content as well */
  isWhole?: boolean;
};

/**
 * Reads a page in one pass. Hidden content is included, because accordions and tabs hide content that visitors look
 * for. Navigation, page headers and footers are dropped, unless one of them is never closed and contains the content.
 */
export function extractHtml(
  html: string,
  { onProgress = () => {}, isStartPage = false, isBook = false, isWhole = false }: HtmlOptions = {},
): HtmlPage {
  const metadata = createPageMetadata();
  const content = createContentWalker({ isBook, isWhole });
  const contact = isStartPage ? createContactCollector() : null;
  let depth = 0;
  let protectedDepth = 0;
  const links: Array<{ depth: number; address: string; text: string }> = [];
  const write = (text: string) => {
    metadata.text(text);
    content.text(text);
    contact?.text(text);
  };
  const handlers: Partial<Handler> = {
    onopentag(tag, attributes) {
      if (++depth > MAX_DEPTH) throw new ExtractionError("DAMAGED", "The page's elements are nested too deeply.");
      metadata.open(tag, attributes);
      content.open(tag, attributes);
      contact?.open(tag, attributes);
      const email = protectedEmail(attributes);
      const address = linkedAddress(tag, attributes);
      if (email !== null) {
        for (const link of links) link.text += email;
        write(email);
        protectedDepth = depth;
      } else if (address !== null) links.push({ depth, address, text: "" });
    },
    ontext(text) {
      if (protectedDepth > 0) return;
      for (const link of links) link.text += text;
      write(text);
    },
    onclosetag(tag, isImplied) {
      if (links.at(-1)?.depth === depth) {
        const { address = "", text = "" } = links.pop() ?? {};
        if (!showsAddress(text, address)) write(text.trim() === "" ? address : ` (${address})`);
      }
      if (protectedDepth === depth) protectedDepth = 0;
      depth--;
      metadata.close(tag);
      content.close(tag, isImplied);
      contact?.close(tag);
    },
  };
  const isXhtml = xhtmlStart.test(html.slice(0, 1_000));
  const parser = new Parser(handlers, { recognizeSelfClosing: isXhtml, recognizeCDATA: isXhtml && isBook });
  for (let start = 0; start < html.length; start += SLICE) {
    parser.write(html.slice(start, start + SLICE));
    onProgress(start, html.length);
  }
  parser.end();
  const blocks = content.blocks();
  if (content.isSwallowed()) return extractHtml(html, { onProgress, isWhole: true });
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

function createContentWalker({ isBook, isWhole }: { isBook: boolean; isWhole: boolean }) {
  const path: Element[] = [{ ...rootElement, isMain: isBook }];
  const found = createFoundBlocks();
  const table = createTable();
  const paragraph = createParagraph();
  const lists = createLists();
  const choices = createChoices();
  let tables = 0;
  /** what a reader sees in place of text in the current cell */
  let label = "";
  let skipped = 0;
  let swallowed = 0;
  /** the class names that the page's own style sheets strike out */
  const struckNames = new Set<string>();

  /** Ends the current paragraph. Paragraphs within a table cell become part of the row. */
  function flush(): void {
    paragraph.closeStruck();
    if (table.isInCell()) {
      paragraph.add(" ");
      return;
    }
    found.add(paragraph.text(), path.at(-1));
    paragraph.reset();
  }

  /** Separates an element on lines of its own from the text around it. A heading stays one. */
  function separate({ tag, isBlock }: Element, parent: Element | undefined): void {
    if (!isBlock) return;
    if (parent?.headingLevel != null && !isBlockTag(tag)) paragraph.add(" ");
    // The mark of a list item belongs to the first paragraph in it.
    else if (!isListMark(paragraph.text())) flush();
  }

  /** Ends a cell. One without text has what a reader sees in place of it. */
  function closeCell(tag: string): boolean {
    paragraph.closeStruck();
    const text = paragraph.text();
    const isClosed = table.closeCell(tag, text.trim() === "" ? label : text);
    if (isClosed) paragraph.reset();
    return isClosed;
  }

  function openInTable(tag: string, attributes: Record<string, string>, parent: Element | undefined): void {
    if (tag === "table") tables++;
    if (tag === "thead") table.openHead();
    if ((tag === "b" || tag === "strong") && paragraph.text().trim() === "") table.markBold();
    // The parser does not know that a `th` ends a `td` whose end tag is omitted.
    if (isCell(tag) && parent && isCell(parent.tag)) closeCell(parent.tag);
    // A cell outside of a table is text, as in a browser.
    if (tables === 0) return;
    if (isCell(tag)) label = "";
    if (isCell(tag) && table.openCell(attributes)) paragraph.reset();
    label ||= labelOf(tag, attributes);
  }

  return {
    open(tag: string, attributes: Record<string, string>): void {
      if (tag === "br") paragraph.add("\n");
      const parent = path.at(-1);
      const element = createElement(tag, attributes, { parent, struckNames, isWhole });
      separate(element, parent);
      paragraph.openElement(element);
      element.skippedBefore = skipped;
      path.push(element);
      choices.open(tag);
      if (element.isSkipped) return;
      if (parent) {
        parent.children++;
        paragraph.add(formulaSign(parent));
      }
      if (isFormulaGroup(tag, parent)) paragraph.add("(");
      if (tag === "msqrt") paragraph.add("√(");
      lists.open(tag, attributes);
      if (tag === "li" && (!isListMark(paragraph.text()) || /\d|[a-z]/i.test(paragraph.text())))
        paragraph.add(lists.nextMark(attributes.value));
      if (tag === "input") paragraph.add(readInput(attributes));
      paragraph.openSuperscript(element);
      openInTable(tag, attributes, parent);
    },
    text(value: string): void {
      const element = path.at(-1) ?? rootElement;
      if (element.tag === "style" && value.includes("line-through"))
        for (const name of listStruckNames(value)) struckNames.add(name);
      if (element.tag === "title" && path.at(-2)?.tag === "svg") label ||= value.trim();
      if (element.tag === "option") choices.text(value);
      if (element.isSkipped) skipped += value.length;
      else paragraph.write(element.tag === "pre" ? value : value.replace(/\s+/g, " "), element.isStruck);
    },
    close(tag: string, isImplied: boolean): void {
      const element = path.at(-1) ?? rootElement;
      const parent = path.at(-2);
      if (isImplied && element.isNavigation) swallowed += skipped - element.skippedBefore;
      const chosen = choices.close(tag);
      if (chosen !== "" && !parent?.isSkipped) paragraph.write(chosen, false);
      if (tag === "msqrt" || isFormulaGroup(tag, parent)) paragraph.add(element.isSkipped ? "" : ")");
      if (!element.isSkipped) paragraph.closeElement(element, parent);
      const isCellClosed = isCell(tag) && !element.isSkipped && closeCell(tag);
      if (!isCellClosed && isCell(tag)) paragraph.add(" ");
      else separate(element, parent);
      if (tag === "thead") table.closeHead();
      if (tag === "tr") table.closeRow();
      if (tag === "table") {
        for (const row of table.close()) found.add(row, element);
        if (!element.isSkipped) tables--;
      }
      if (!element.isSkipped) lists.close(tag);
      if (tag === "details" || tag === "dl") found.closeQuestions();
      path.pop();
    },
    /** Whether navigation that is never closed contains more text than the rest of the page. */
    isSwallowed: () => swallowed > found.size(),
    blocks(): Block[] {
      flush();
      return found.blocks();
    },
  };
}

/** Collects the paragraphs below their headings. */
function createFoundBlocks() {
  const found: FoundBlock[] = [];
  const outline = createOutline();
  /** the latest heading while it has neither text nor other headings below it */
  let unused: { level: number; isMain: boolean } | null = null;

  /** Keeps a heading without text as text when a heading of the same or a higher level follows. */
  function keepUnused(nextLevel: number): void {
    const [title = "", ...above] = outline.headings().reverse();
    if (unused && nextLevel <= unused.level) {
      found.push({ text: title, headings: above.reverse(), page: null, isMain: unused.isMain });
    }
    unused = null;
  }

  return {
    add(content: string, { headingLevel: level = null, isMain = false }: Partial<Element> = {}): void {
      const trimmed = resolveSuperscripts(content)
        .replace(/[^\S\n]+/g, " ")
        .replace(/ ?\n ?/g, "\n")
        .trim();
      if (trimmed === "" || /^(-|\[[ x]\])$/.test(trimmed)) return;
      if (level !== null) {
        keepUnused(level);
        outline.open(level, trimmed);
        unused = { level, isMain };
        return;
      }
      found.push({ text: trimmed, headings: outline.headings(), page: null, isMain });
      unused = null;
    },
    closeQuestions(): void {
      if (unused?.level === headingLevels) keepUnused(headingLevels);
      outline.closeQuestions();
    },
    /** the number of characters */
    size: () => found.reduce((sum, { text }) => sum + text.length, 0),
    blocks(): Block[] {
      keepUnused(0);
      return selectMainBlocks(found);
    },
  };
}

/** The mark of a box to tick, or the value of a field that cannot be changed, which is text. */
function readInput({ type = "text", value = "", checked, readonly, disabled }: Record<string, string>): string {
  if (/^(checkbox|radio)$/i.test(type)) return checked === undefined ? "[ ] " : "[x] ";
  const isText = /^(text|number|email|tel|url)$/i.test(type) && (readonly ?? disabled) !== undefined;
  return isText ? ` ${value} ` : "";
}

/** The class names whose rules strike text out. */
const listStruckNames = (css: string) =>
  [...css.matchAll(/\.([\w-]{1,100})\s*\{[^{}]{0,2000}\bline-through\b/g)].map(([, name = ""]) => name);

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
