import { escapeHtml } from "../../escape-html.ts";
import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { openText, readListStyles, readSpace, readStyles, readTitle } from "./open-document.ts";
import { localName, type Walk } from "./walk-xml.ts";
import type { Warnings } from "./warnings.ts";

/** Elements whose text a reader does not see: deleted text, comments, settings, and descriptions of pictures. */
const unread = new Set([
  "tracked-changes",
  "annotation",
  "forms",
  "variable-decls",
  "sequence-decls",
  "user-field-decls",
  "desc",
  "title",
  "note-citation",
  "ruby-text",
  "binary-data",
]);

/** Reads an OpenDocument text, which is converted to HTML. */
export function extractOdt({ archive, onProgress, warnings }: FileInput): FileContent {
  const walk = openText(archive);
  onProgress(0, 0);
  const body = convert(walk, { part: "content.xml", root: "text", warnings });
  const edges = ["header", "footer"].map((element) => convert(walk, { part: "styles.xml", root: element, warnings }));
  const blocks = extractHtml(`<main>${edges[0]}${body}${edges[1]}</main>`).blocks;
  return { title: readTitle(walk), blocks };
}

/** A formula as MathML, or the texts and tables of a chart or sheet. Objects of other programs have no text here. */
function readObject(walk: Walk, href: string): string {
  const path: string[] = [];
  let html = "";
  const isIn = (tag: string) => path.includes(tag);
  const add = (tag: string, isEnd: boolean) => {
    const cell = isIn("table-header-rows") ? "th" : "td";
    const shown = { p: "p", table: "table", "table-row": "tr", "table-cell": cell }[tag];
    const name = isIn("math") ? tag : shown;
    if (name !== undefined) html += `<${isEnd ? "/" : ""}${name}>`;
  };
  walk(`${href.replace(/^\.?\//, "")}/content.xml`, {
    open({ name }) {
      path.push(localName(name));
      add(localName(name), false);
    },
    text(value) {
      if (isIn("math") || isIn("p")) html += escapeHtml(value);
    },
    close(name) {
      add(localName(name), true);
      path.pop();
    },
  });
  return html;
}

const blockTags: Record<string, string> = {
  "list-header": "li",
  "table-row": "tr",
  "table-header-rows": "thead",
  table: "table",
};

/** Converts the content of the elements with a name, such as `office:text`, to HTML. */
function convert(walk: Walk, { part, root, warnings }: { part: string; root: string; warnings: Warnings }): string {
  const effects = readStyles(walk);
  const lists = createLists(readListStyles(walk));
  const closing: string[] = [];
  const notes: string[] = [];
  let html = "";
  let skipped = 0;
  let inside = 0;
  const write = (text: string) => {
    if (notes.length > 0) notes.push((notes.pop() ?? "") + text);
    else html += text;
  };
  walk(part, {
    open({ name, attributes, isSelfClosing }) {
      const tag = localName(name);
      if (inside > 0 && tag === "deletion") warnings.add("DELETED_TEXT");
      if (skipped > 0 || (inside > 0 && unread.has(tag))) {
        skipped++;
        return;
      }
      if (tag === root && !isSelfClosing) inside++;
      if (inside === 0 || tag === root) {
        closing.push("");
        return;
      }
      const style = effects(attributes["text:style-name"]);
      if (style.isHidden || attributes["text:display"] === "none") {
        warnings.add("HIDDEN_TEXT");
        skipped++;
        return;
      }
      if (tag === "object") {
        write(readObject(walk, attributes["xlink:href"] ?? ""));
        skipped++;
        return;
      }
      const space = readSpace(tag, attributes);
      if (space !== null) write(space === "\n" ? "<br>" : space);
      const [start, end] = lists.open(tag, attributes) ?? tagsFor(tag, attributes, style);
      if (tag === "note") notes.push("");
      write(start);
      closing.push(end);
    },
    text(value) {
      if (inside > 0 && skipped === 0) write(escapeHtml(value));
    },
    close(name) {
      const tag = localName(name);
      if (skipped > 0) {
        skipped--;
        return;
      }
      write(closing.pop() ?? "");
      if (inside > 0) lists.close(tag);
      if (tag === "note") html += ` (${(notes.pop() ?? "").replace(/<\/?p>/g, " ").trim()})`;
      if (tag === root && inside > 0) inside--;
    },
  });
  return html;
}

/** Numbers the items of lists whose style does so. A list inside another one has the style of the outer one. */
function createLists(listStyle: ReturnType<typeof readListStyles>) {
  const open: Array<{ style: string; next: number }> = [];
  /** the number after the last item of each style */
  const last = new Map<string, number>();
  return {
    /** The tags of a list or list item; null for other elements. */
    open(tag: string, attributes: Record<string, string>): [string, string] | null {
      if (tag === "list") {
        const style = attributes["text:style-name"] ?? open.at(-1)?.style ?? "";
        const numbers = listStyle(style, open.length + 1);
        const isContinued =
          attributes["text:continue-numbering"] === "true" || attributes["text:continue-list"] !== undefined;
        const next = (isContinued ? last.get(`${open.length} ${style}`) : undefined) ?? numbers?.start ?? 1;
        open.push({ style, next });
        return numbers ? [`<ol type="${numbers.type}" start="${next}">`, "</ol>"] : ["<ul>", "</ul>"];
      }
      const list = open.at(-1);
      if (tag !== "list-item" || !list) return null;
      const value = Number(attributes["text:start-value"] ?? list.next);
      list.next = value + 1;
      return [`<li value="${value}">`, "</li>"];
    },
    close(tag: string): void {
      const list = tag === "list" ? open.pop() : undefined;
      if (list) last.set(`${open.length} ${list.style}`, list.next);
    },
  };
}

function tagsFor(
  tag: string,
  attributes: Record<string, string>,
  style: { isStruck: boolean | null; isRaised: boolean },
): [string, string] {
  const [strike, end] = style.isStruck ? ["<s>", "</s>"] : ["", ""];
  if (tag === "h") {
    const level = Math.min(6, Math.max(1, Number(attributes["text:outline-level"] ?? 1) || 1));
    return [`<h${level}>${strike}`, `${end}</h${level}>`];
  }
  if (tag === "table-cell") {
    const [columns, rows] = [attributes["table:number-columns-spanned"], attributes["table:number-rows-spanned"]];
    return [`<td colspan="${Number(columns ?? 1)}" rowspan="${Number(rows ?? 1)}">`, "</td>"];
  }
  if (tag === "span" && style.isRaised) return ["<sup>", "</sup>"];
  if (tag === "span" && style.isStruck === false) return ['<span data-struck="false">', "</span>"];
  if (tag === "span") return [strike, end];
  if (tag === "p") return [`<p>${strike}`, `${end}</p>`];
  const block = blockTags[tag];
  return block === undefined ? ["", ""] : [`<${block}>`, `</${block}>`];
}
