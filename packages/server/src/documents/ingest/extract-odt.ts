import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { isTextPart, readSpace, readStyles, readTitle } from "./open-document.ts";
import { createWalker, escapeHtml, localName, type Walk } from "./walk-xml.ts";
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
  "object",
]);

/** Reads an OpenDocument text, which is converted to HTML. */
export function extractOdt({ archive, onProgress, warnings }: FileInput): FileContent {
  const walk = createWalker(archive?.unpack(isTextPart) ?? new Map());
  onProgress(0, 0);
  const body = convert(walk, "content.xml", "text", warnings);
  const edges = ["header", "footer"].map((element) => convert(walk, "styles.xml", element, warnings));
  const blocks = extractHtml(`<main>${edges[0]}${body}${edges[1]}</main>`).blocks;
  return { title: readTitle(walk), blocks };
}

const blockTags: Record<string, string> = {
  p: "p",
  list: "ul",
  "list-item": "li",
  "list-header": "li",
  "table-row": "tr",
  "table-header-rows": "thead",
  table: "table",
};

/** Converts the content of the elements with a name, such as `office:text`, to HTML. */
function convert(walk: Walk, part: string, root: string, warnings: Warnings): string {
  const effects = readStyles(walk);
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
      const space = readSpace(tag, attributes);
      if (space !== null) write(space === "\n" ? "<br>" : space);
      const [start, end] = tagsFor(tag, attributes, style);
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
      if (tag === "note") html += ` (${(notes.pop() ?? "").replace(/<\/?p>/g, " ").trim()})`;
      if (tag === root && inside > 0) inside--;
    },
  });
  return html;
}

function tagsFor(
  tag: string,
  attributes: Record<string, string>,
  style: { isStruck: boolean; isRaised: boolean },
): [string, string] {
  if (tag === "h") {
    const level = Math.min(6, Math.max(1, Number(attributes["text:outline-level"] ?? 1) || 1));
    return [`<h${level}>`, `</h${level}>`];
  }
  if (tag === "table-cell") {
    const [columns, rows] = [attributes["table:number-columns-spanned"], attributes["table:number-rows-spanned"]];
    return [`<td colspan="${Number(columns ?? 1)}" rowspan="${Number(rows ?? 1)}">`, "</td>"];
  }
  if (tag === "span" && style.isRaised) return ["<sup>", "</sup>"];
  if (tag === "span" && style.isStruck) return ["<s>", "</s>"];
  const block = blockTags[tag];
  return block === undefined ? ["", ""] : [`<${block}>`, `</${block}>`];
}
