import { escapeHtml } from "../../escape-html.ts";
import { formatOrdinal, type NumberStyle } from "./list-labels.ts";

type Level = { format: string; text: string; start: number };
/** Lists with the same definition continue each other, except at the levels that restart. */
type List = { definition: string; levels: ReadonlyMap<number, Level>; restarts: Set<number> };
type NumberedStyle = { list: string; level: number; parent: string };
type Numbering = {
  list(id: string): List | undefined;
  style(id: string): { list: string; level: number } | null;
};

const styles: Record<string, NumberStyle> = { lowerLetter: "a", upperLetter: "A", lowerRoman: "i", upperRoman: "I" };
const MAX_LEVEL = 8;

/**
 * Writes the numbers of lists and headings into their paragraphs, as Word shows them: "1.2", "b)". Without this, mammoth
 * would only say that a paragraph belongs to a list. Bullets stay lists.
 */
export function withNumbers(document: string, numberingXml: string, stylesXml: string): string {
  if (numberingXml === "") return document;
  const numbering = readNumbering(numberingXml, stylesXml);
  const counters = new Map<string, number[]>();
  return document.replace(/<w:p(?: [^<>]*)?>\s*<w:pPr>[\s\S]*?<\/w:pPr>/g, (start) => {
    const properties = start.slice(start.lastIndexOf("<w:pPr>"));
    const own = findNumber(properties);
    const inherited = numbering.style(attribute(properties, "pStyle"));
    const list = numbering.list(own?.list ?? inherited?.list ?? "");
    if (!list) return start;
    const { levels } = list;
    const level = Math.min(own?.level ?? inherited?.level ?? 0, MAX_LEVEL);
    const definition = levels.get(level);
    if (!definition || definition.format === "bullet") return start;
    const counts = counters.get(list.definition) ?? [];
    counters.set(list.definition, counts);
    if (list.restarts.delete(level)) counts.length = Math.min(counts.length, level);
    for (let above = 0; above < level; above++) counts[above] ??= levels.get(above)?.start ?? 1;
    counts[level] = counts[level] === undefined ? definition.start : counts[level] + 1;
    counts.length = level + 1;
    const label = definition.text.replace(/%([1-9])/g, (_, place: string) => {
      const format = levels.get(Number(place) - 1)?.format ?? "decimal";
      return formatNumber(counts[Number(place) - 1] ?? 1, format);
    });
    if (label.trim() === "" || definition.format === "none") return start;
    const bare = start.replace(/<w:numPr>[\s\S]*?<\/w:numPr>/, "");
    return `${bare}<w:r><w:t xml:space="preserve">${escapeHtml(label)} </w:t></w:r>`;
  });
}

function formatNumber(value: number, format: string): string {
  if (format === "decimalZero") return String(value).padStart(2, "0");
  if (format === "ordinal") return `${value}${suffixes[ordinal.select(value)] ?? "th"}`;
  return formatOrdinal(value, styles[format] ?? "1");
}

const ordinal = new Intl.PluralRules("en", { type: "ordinal" });
const suffixes: Record<string, string> = { one: "st", two: "nd", few: "rd" };

function readNumbering(numberingXml: string, stylesXml: string): Numbering {
  const abstract = new Map<string, Map<number, Level>>();
  for (const [definition, id = ""] of numberingXml.matchAll(
    /<w:abstractNum\b[^<>]*w:abstractNumId="(\d+)"[\s\S]*?<\/w:abstractNum>/g,
  )) {
    abstract.set(id, readLevels(definition));
  }
  const lists = new Map<string, List>();
  for (const [list, id = ""] of numberingXml.matchAll(/<w:num\b[^<>]*w:numId="(\d+)"[\s\S]*?<\/w:num>/g)) {
    const definition = attribute(list, "abstractNumId");
    const levels = new Map([...(abstract.get(definition) ?? []), ...readLevels(list)]);
    const restarts = new Set<number>();
    for (const [, level = "", start = ""] of list.matchAll(
      /<w:lvlOverride\b[^<>]*w:ilvl="(\d)"[^<>]*>\s*<w:startOverride w:val="(\d+)"/g,
    )) {
      const known = levels.get(Number(level));
      if (known) levels.set(Number(level), { ...known, start: Number(start) });
      restarts.add(Number(level));
    }
    lists.set(id, { definition, levels, restarts });
  }
  const numbered = new Map<string, Partial<NumberedStyle>>();
  for (const [style] of stylesXml.matchAll(/<w:style\b[^<>]*>[\s\S]*?<\/w:style>/g)) {
    const [, id = ""] = /w:styleId="([^"]+)"/.exec(style) ?? [];
    numbered.set(id, { ...findNumber(style), parent: attribute(style, "basedOn") });
  }
  return {
    list: (id) => lists.get(id),
    style(id) {
      let level: number | undefined;
      let current = numbered.get(id);
      for (let depth = 0; current && depth < 20; depth++) {
        level ??= current.level;
        if (current.list !== undefined) return { list: current.list, level: level ?? 0 };
        current = numbered.get(current.parent ?? "");
      }
      return null;
    },
  };
}

function readLevels(xml: string): Map<number, Level> {
  const levels = new Map<number, Level>();
  for (const [level, index = ""] of xml.matchAll(/<w:lvl\b[^<>]*w:ilvl="(\d)"[\s\S]*?<\/w:lvl>/g)) {
    const [, text = ""] = /<w:lvlText w:val="([^"]{0,100})"/.exec(level) ?? [];
    const start = Number(attribute(level, "start") || 1);
    levels.set(Number(index), { format: attribute(level, "numFmt"), text, start });
  }
  return levels;
}

/** The list and level that the properties of a paragraph or style name. */
function findNumber(xml: string): { list?: string; level?: number } | null {
  const [numbering] = /<w:numPr>[\s\S]*?<\/w:numPr>/.exec(xml) ?? [];
  if (!numbering) return null;
  const [list, level] = [attribute(numbering, "numId"), attribute(numbering, "ilvl")];
  return { ...(list === "" ? {} : { list }), ...(level === "" ? {} : { level: Number(level) }) };
}

const attribute = (xml: string, tag: string) =>
  new RegExp(`<w:${tag}(?: [^<>]*)? w:val="([^"]{0,200})"|<w:${tag} w:val="([^"]{0,200})"`)
    .exec(xml)
    ?.slice(1)
    .find((value) => value !== undefined) ?? "";
