import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { formatOrdinal, type NumberStyle } from "./list-labels.ts";
import { formatNumber } from "./number-format.ts";
import type { Block } from "./split-passages.ts";
import { createWalker, escapeHtml, localName, readRelationships, type Walk } from "./walk-xml.ts";

const textPart =
  /^ppt\/(presentation\.xml|slides\/[^/]+\.xml|diagrams\/data[^/]*\.xml|charts\/[^/]+\.xml|(slides\/|charts\/)?_rels\/.*)$/i;
const MAX_SLIDES = 2_000;

/**
 * Reads a presentation: what an audience sees on its slides. Speaker notes, comments and hidden slides are left out. The
 * number of a slide is the page of its text.
 */
export function extractPptx({ archive, onProgress, warnings }: FileInput): FileContent {
  const parts = archive?.unpack((name) => textPart.test(name)) ?? new Map();
  const walk = createWalker(parts);
  const presentation = archive?.mainPart ?? "";
  const relationships = readRelationships(walk, presentation);
  const slides: string[] = [];
  walk(presentation, {
    open({ name, attributes }) {
      if (localName(name) !== "sldId") return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? "";
      const { target } = relationships.get(id) ?? {};
      if (target && slides.length < MAX_SLIDES) slides.push(target);
    },
  });
  for (const name of archive?.names ?? []) {
    if (/^ppt\/embeddings\/(?!Microsoft_(Office_)?Excel)/i.test(name))
      warnings.add("ATTACHMENTS_LEFT_OUT", name.replace(/^.*\//, ""));
  }
  const blocks: Block[] = [];
  for (const [index, part] of slides.entries()) {
    const page = index + 1;
    onProgress(page, slides.length);
    const { html, isHidden } = readSlide(walk, part);
    if (isHidden) {
      warnings.add("HIDDEN_SLIDES", String(page));
      continue;
    }
    const found = extractHtml(`<main>${html}</main>`).blocks;
    // A slide that consists of its title has no text below a heading.
    const title = /<h2>(.*?)<\/h2>/s.exec(html)?.[1] ?? "";
    const content = found.length > 0 || title === "" ? found : extractHtml(`<p>${title}</p>`).blocks;
    if (content.length === 0) warnings.add("PAGES_WITHOUT_TEXT", String(page));
    blocks.push(...content.map((block) => ({ ...block, page })));
  }
  return { title: archive?.title ?? null, blocks };
}

/** Reads a slide, its diagrams and its charts as HTML. */
function readSlide(walk: Walk, part: string): { html: string; isHidden: boolean } {
  const relationships = readRelationships(walk, part);
  const slide = readDrawing(walk, part);
  const others = [...relationships.values()].map(({ type, target }) => {
    if (/^diagramData$/i.test(type)) return readDrawing(walk, target).html;
    return type === "chart" ? readChart(walk, target) : "";
  });
  return { html: slide.html + others.join(""), isHidden: slide.isHidden };
}

/** Reads the paragraphs and tables of a drawing. The title comes first. */
function readDrawing(walk: Walk, part: string): { html: string; isHidden: boolean } {
  let title = "";
  let body = "";
  let paragraph: string | null = null;
  /** the numbers of the latest items of numbered lists, by level */
  let numbers: number[] = [];
  let level = 0;
  let isNumbered = false;
  let isTitle = false;
  let isHidden = false;
  let isCellShown = true;
  let isStruck = false;
  let baseline = 0;
  walk(part, {
    open({ name, attributes }) {
      const tag = localName(name);
      if (tag === "sld") isHidden = attributes.show === "0" || attributes.show === "false";
      if (tag === "sp") isTitle = false;
      if (tag === "ph") isTitle = /title$/i.test(attributes.type ?? "") && attributes.type !== "subTitle";
      if (tag === "tbl") body += "<table>";
      if (tag === "tr") body += "<tr>";
      if (tag === "tc") {
        isCellShown = attributes.hMerge !== "1" && attributes.vMerge !== "1";
        if (isCellShown) body += `<td colspan="${attributes.gridSpan ?? 1}" rowspan="${attributes.rowSpan ?? 1}">`;
      }
      if (tag === "txBody") numbers = [];
      if (tag === "p") [paragraph, level, isNumbered] = ["", 0, false];
      if (tag === "pPr") level = Math.min(Number(attributes.lvl ?? 0), 8);
      if (tag === "buAutoNum" && paragraph === "") {
        isNumbered = true;
        numbers.length = level + 1;
        const number = (numbers[level] ?? Number(attributes.startAt ?? 1) - 1) + 1;
        numbers[level] = number;
        paragraph = `${formatOrdinal(number, styleOf(attributes.type ?? ""))}. `;
      }
      if (tag === "r" || tag === "fld") [isStruck, baseline] = [false, 0];
      if (tag === "rPr") {
        isStruck = /^(sng|dbl)Strike$/.test(attributes.strike ?? "");
        baseline = Number(attributes.baseline ?? 0);
      }
      if (tag === "br" && paragraph !== null) paragraph += "<br>";
    },
    text(value, name) {
      if (name !== "t" || paragraph === null) return;
      const text = escapeHtml(value);
      const marked = isStruck ? `<s>${text}</s>` : text;
      paragraph += baseline > 0 ? `<sup>${marked}</sup>` : marked;
    },
    close(name) {
      const tag = localName(name);
      if (tag === "p" && paragraph !== null) {
        if (!isNumbered) numbers.length = Math.min(numbers.length, level);
        if (isTitle) title += `${title === "" ? "" : " "}${paragraph}`;
        else body += `<p>${paragraph}</p>`;
        paragraph = null;
      }
      if (tag === "tc" && isCellShown) body += "</td>";
      if (tag === "tr") body += "</tr>";
      if (tag === "tbl") body += "</table>";
      if (tag === "sp") isTitle = false;
    },
  });
  return { html: (title.trim() === "" ? "" : `<h2>${title}</h2>`) + body, isHidden };
}

function styleOf(type: string): NumberStyle {
  if (type.startsWith("alpha")) return type.startsWith("alphaLc") ? "a" : "A";
  if (type.startsWith("roman")) return type.startsWith("romanLc") ? "i" : "I";
  return "1";
}

/** Reads a chart as a table: a row for each category, with the values of the series. */
function readChart(walk: Walk, part: string): string {
  const texts: string[] = [];
  const series: Array<{ name: string; categories: string[]; values: string[] }> = [];
  const path: string[] = [];
  let format = "General";
  let paragraph = "";
  walk(part, {
    open({ name }) {
      path.push(localName(name));
      if (path.at(-1) === "ser") series.push({ name: "", categories: [], values: [] });
    },
    text(value, name) {
      const current = series.at(-1);
      if (name === "t") paragraph += value;
      if (name === "formatCode") format = value;
      if (name !== "v" || !current) return;
      if (path.includes("cat") || path.includes("xVal"))
        current.categories.push(formatValue(value, path.includes("numCache") ? format : "General"));
      else if (path.includes("val") || path.includes("yVal")) current.values.push(formatValue(value, format));
      else if (path.includes("tx")) current.name += value;
    },
    close(name) {
      path.pop();
      if (localName(name) !== "p" || paragraph === "") return;
      texts.push(`<p>${escapeHtml(paragraph)}</p>`);
      paragraph = "";
    },
  });
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const header = ["", ...series.map(({ name }) => name)].map((name) => `<th>${escapeHtml(name)}</th>`).join("");
  const rows = categories.map((category, index) => {
    const cells = [category, ...series.map(({ values }) => values[index] ?? "")];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`;
  });
  return `${texts.join("")}<table><tr>${header}</tr>${rows.join("")}</table>`;
}

const formatValue = (value: string, format: string) =>
  value.trim() === "" || Number.isNaN(Number(value)) ? value : formatNumber(Number(value), format);
