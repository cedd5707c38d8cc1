import { escapeHtml } from "../../escape-html.ts";
import { formatOrdinal, type NumberStyle } from "./list-labels.ts";
import { formatNumber } from "./number-format.ts";
import { localName, readRelationships, type Walk } from "./walk-xml.ts";

/** Reads the diagrams and charts that a slide or drawing shows as HTML. */
export const readGraphics = (walk: Walk, part: string, isDataRead = true): string =>
  [...readRelationships(walk, part).values()].map((found) => readGraphic(walk, found, isDataRead)).join("");

/** Reads what a relationship leads to if it is a diagram or chart. */
export function readGraphic(
  walk: Walk,
  found: { type: string; target: string } | undefined,
  isDataRead = true,
): string {
  if (/^diagramData$/i.test(found?.type ?? "")) return readDrawing(walk, found?.target ?? "").html;
  return found?.type === "chart" ? readChart(walk, found.target, isDataRead) : "";
}

/** `isMasterShown` means that the shapes of the master that a slide or layout is based on are shown. */
type Drawing = { html: string; isHidden: boolean; isMasterShown: boolean };

/**
 * Reads the paragraphs and tables of a drawing. The title comes first.
 * @param isMaster leaves out placeholders, whose text only says what belongs there
 */
export function readDrawing(walk: Walk, part: string, isMaster = false): Drawing {
  let title = "";
  let body = "";
  let paragraph: string | null = null;
  /** the numbers of the latest items of numbered lists, by level */
  let numbers: number[] = [];
  let level = 0;
  let isNumbered = false;
  let isTitle = false;
  let isHidden = false;
  let isMasterShown = true;
  let isPlaceholder = false;
  let isCellShown = true;
  let isStruck = false;
  let baseline = 0;
  walk(part, {
    open({ name, attributes }) {
      const tag = localName(name);
      if (tag === "sld") isHidden = attributes.show === "0" || attributes.show === "false";
      if (attributes.showMasterSp === "0" || attributes.showMasterSp === "false") isMasterShown = false;
      if (tag === "sp") [isTitle, isPlaceholder] = [false, false];
      if (tag === "ph") isPlaceholder = isMaster;
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
        if (isPlaceholder) paragraph = "";
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
  return { html: (title.trim() === "" ? "" : `<h2>${title}</h2>`) + body, isHidden, isMasterShown };
}

function styleOf(type: string): NumberStyle {
  if (type.startsWith("alpha")) return type.startsWith("alphaLc") ? "a" : "A";
  if (type.startsWith("roman")) return type.startsWith("romanLc") ? "i" : "I";
  return "1";
}

const MAX_POINTS = 10_000;

/**
 * Reads the texts of a chart, such as its title, and its data as a table: a row for each category, with the values of
 * the series.
 * @param isDataRead false for a chart that shows the cells of its sheet
 */
function readChart(walk: Walk, part: string, isDataRead = true): string {
  const texts: string[] = [];
  const series: Array<{ name: string; categories: string[]; values: string[] }> = [];
  const path: string[] = [];
  let format = "General";
  let paragraph = "";
  let point = 0;
  walk(part, {
    open({ name, attributes }) {
      path.push(localName(name));
      // A point without a value is left out of the file, and the ones after it keep their places.
      if (path.at(-1) === "pt") point = Math.min(Number(attributes.idx ?? 0), MAX_POINTS);
      if (path.at(-1) === "ser") series.push({ name: "", categories: [], values: [] });
    },
    text(value, name) {
      const current = series.at(-1);
      if (name === "t") paragraph += value;
      if (name === "formatCode") format = value;
      if (name === "v" && path.includes("title")) paragraph += value;
      if (name !== "v" || !current) return;
      if (path.includes("cat") || path.includes("xVal")) {
        const category = formatValue(value, path.includes("numCache") ? format : "General");
        // The levels of a category follow each other from the innermost one.
        current.categories[point] = [category, current.categories[point]].filter(Boolean).join(" ");
      } else if (path.includes("val") || path.includes("yVal")) current.values[point] = formatValue(value, format);
      else if (path.includes("tx")) current.name += value;
    },
    close(name) {
      path.pop();
      if (!/^(p|title)$/.test(localName(name)) || paragraph === "") return;
      texts.push(`<p>${escapeHtml(paragraph)}</p>`);
      paragraph = "";
    },
  });
  if (!isDataRead) return texts.join("");
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const header = ["", ...series.map(({ name }) => name)].map((name) => `<th>${escapeHtml(name)}</th>`).join("");
  const rows = Array.from(categories, (category = "", index) => {
    const cells = [category, ...series.map(({ values }) => values[index] ?? "")];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`;
  });
  return `${texts.join("")}<table><tr>${header}</tr>${rows.join("")}</table>`;
}

const formatValue = (value: string, format: string) =>
  value.trim() === "" || Number.isNaN(Number(value)) ? value : formatNumber(Number(value), format);
