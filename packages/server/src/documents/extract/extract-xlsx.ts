import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput, OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { fileLimits } from "./limits.ts";
import { builtInFormat, formatNumber } from "./number-format.ts";
import { readDrawing, readGraphics } from "./read-drawing.ts";
import { isOfficeText } from "./read-zip.ts";
import type { Block } from "./split-passages.ts";
import { tableBlocks } from "./table-blocks.ts";
import { createWalker, localName, readRelationships, type Walk } from "./walk-xml.ts";
import type { Warnings } from "./warnings.ts";

/** The maximum number of sheets, each of which is stored in a part of its own. */
const MAX_SHEETS = 200;
/** Columns beyond this one are treated as layout and ignored. */
const MAX_COLUMNS = 200;

type Parts = ReadonlyMap<string, Uint8Array>;
/** `styles` holds those of the cells. */
type Workbook = { strings: string[]; styles: CellStyle[]; is1904: boolean };
type CellStyle = { format: string; isStruck: boolean };
type Cell = { column: number; type: string; style: number; value: string; isFormula: boolean; inline: string | null };

/** Reads an XLSX file: the non-empty rows of every visible sheet, with the sheet's name as the heading. */
export function extractXlsx({ archive, onProgress, warnings }: FileInput): FileContent {
  const parts = archive?.unpack(isOfficeText) ?? new Map();
  return {
    title: archive?.title ?? null,
    blocks: readSheetBlocks(parts, archive?.mainPart ?? "", { onProgress, warnings }),
  };
}

function readSheetBlocks(
  parts: Parts,
  workbookPart: string,
  { onProgress, warnings }: { onProgress: OnProgress; warnings: Warnings },
): Block[] {
  const walk = createWalker(parts);
  const { sheets, is1904 } = readSheets(walk, workbookPart, warnings);
  const targets = [...readRelationships(walk, workbookPart).values()];
  const partOf = (wanted: string) => targets.find(({ type }) => type === wanted)?.target ?? `xl/${wanted}.xml`;
  const workbook = {
    strings: readStrings(walk, partOf("sharedStrings")),
    styles: readStyles(walk, partOf("styles")),
    is1904,
  };
  let characters = 0;
  return sheets.flatMap(({ name, part }, index) => {
    onProgress(index, sheets.length);
    const rows = tableBlocks(readRows(walk, part, { workbook, warnings }), name);
    const blocks = [...rows, ...readDrawings(walk, part, name)];
    characters += blocks.reduce((sum, { text }) => sum + text.length, 0);
    // Many cells can share one long string, so a small file can expand to any amount of text.
    if (characters > fileLimits.maxCharacters) throw tooMuchTextError();
    return blocks;
  });
}

/** The text boxes of a sheet, and the titles of its charts. */
function readDrawings(walk: Walk, part: string, name: string): Block[] {
  const drawings = [...readRelationships(walk, part).values()].filter(({ type }) => type === "drawing");
  return drawings.flatMap(({ target }) => {
    const html = readDrawing(walk, target).html + readGraphics(walk, target, false);
    return extractHtml(`<main>${html}</main>`).blocks.map((block) => ({ ...block, headings: [name] }));
  });
}

function tooMuchTextError(): ExtractionError {
  return new ExtractionError("TOO_LARGE", "The sheets have more than 10.5 million characters. Split the file.");
}

type Sheets = { sheets: Array<{ name: string; part: string }>; is1904: boolean };

/** Returns each visible sheet once, because thousands of entries can share one part. */
function readSheets(walk: Walk, workbookPart: string, warnings: Warnings): Sheets {
  const targets = readRelationships(walk, workbookPart);
  const sheets = new Map<string, string>();
  let is1904 = false;
  walk(workbookPart, {
    open({ name, attributes }) {
      if (localName(name) === "workbookPr") is1904 = isTrue(attributes.date1904);
      if (localName(name) !== "sheet") return;
      const isVisible = !/hidden/i.test(attributes.state ?? "");
      if (!isVisible) warnings.add("HIDDEN_SHEETS", attributes.name);
      const part = isVisible ? targets.get(findRelationshipId(attributes))?.target : undefined;
      if (part && !sheets.has(part)) sheets.set(part, attributes.name ?? "");
      if (sheets.size > MAX_SHEETS) {
        throw new ExtractionError("TOO_LARGE", `The file has more than ${MAX_SHEETS} sheets. Split the file.`);
      }
    },
  });
  return { sheets: [...sheets].map(([part, name]) => ({ name, part })), is1904 };
}

function readStrings(walk: Walk, part: string): string[] {
  const strings: string[] = [];
  const text = createRichText();
  walk(part, {
    open(tag) {
      if (localName(tag.name) === "si") text.reset();
      text.open(localName(tag.name), tag.attributes);
    },
    text: text.text,
    close(name) {
      text.close(localName(name));
      if (localName(name) === "si") strings.push(clean(text.result()));
    },
  });
  return strings;
}

/** Collects the text of a string, whose parts can be struck out or raised. Pronunciations are left out. */
function createRichText() {
  let text = "";
  let isStruck = false;
  let isRaised = false;
  let isPhonetic = false;
  const reset = () => {
    text = "";
    isPhonetic = false;
    isStruck = false;
    isRaised = false;
  };
  return {
    reset,
    open(tag: string, { val }: Record<string, string>): void {
      if (tag === "rPh") isPhonetic = true;
      if (tag === "r") [isStruck, isRaised] = [false, false];
      if (tag === "strike") isStruck = isOn(val);
      if (tag === "vertAlign") isRaised = val === "superscript";
    },
    text(value: string, tag: string): void {
      if (tag !== "t" || isPhonetic) return;
      // 10 with a raised 6 is not 106.
      if (isRaised && /\d$/.test(text) && /^\d/.test(value)) text += "^";
      text += isStruck ? strikeOut(value) : value;
    },
    close(tag: string): void {
      if (tag === "rPh") isPhonetic = false;
    },
    result: () => text.replaceAll("~~~~", ""),
  };
}

const strikeOut = (text: string) => text.replace(/\S(?:[\s\S]*\S)?/, "~~$&~~");
/** Whether an element that switches a property on does so, which is its meaning without a value. */
const isOn = (value: string | undefined) => value === undefined || isTrue(value);

/** The number formats and the strikes of the cell styles. */
function readStyles(walk: Walk, part: string): CellStyle[] {
  const custom = new Map<number, string>();
  const styles: CellStyle[] = [];
  const fonts: boolean[] = [];
  const path: string[] = [];
  walk(part, {
    open({ name, attributes }) {
      const tag = localName(name);
      path.push(tag);
      if (tag === "numFmt") custom.set(Number(attributes.numFmtId), attributes.formatCode ?? "General");
      if (tag === "font" && path.at(-2) === "fonts") fonts.push(false);
      if (tag === "strike" && path.includes("fonts") && isOn(attributes.val)) fonts[fonts.length - 1] = true;
      if (tag !== "xf" || !path.includes("cellXfs")) return;
      const id = Number(attributes.numFmtId ?? 0);
      styles.push({
        format: custom.get(id) ?? builtInFormat(id),
        isStruck: fonts[Number(attributes.fontId ?? 0)] ?? false,
      });
    },
    close() {
      path.pop();
    },
  });
  return styles;
}

/** Reads the visible rows and columns. A merged cell is repeated in its rows and columns. */
function readRows(
  walk: Walk,
  part: string,
  { workbook: { strings, styles, is1904 }, warnings }: { workbook: Workbook; warnings: Warnings },
): string[][] {
  const rows = new Map<number, string[]>();
  const hiddenColumns = new Set<number>();
  const hidden = new Set<string>();
  let number = 0;
  let isHidden = false;
  let isWide = false;
  let row: string[] = [];
  let next = 0;
  let cell: Cell | null = null;
  let size = 0;
  const inline = createRichText();

  const readCell = (found: Cell) => {
    const shown = readValue(found);
    return shown !== "" && styles[found.style]?.isStruck && !shown.includes("~~") ? strikeOut(shown) : shown;
  };
  const readValue = ({ type, style, value }: Cell) => {
    // A cell without a value is empty, whatever its type.
    if (value.trim() === "") return "";
    if (type === "s") return strings[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "TRUE" : "FALSE";
    if (type === "d")
      return value
        .replace(/T(00:00(:00)?(\.0+)?)?/, " ")
        .replace(/(\.\d+)?Z?$/, "")
        .trim();
    if (type !== "n" || Number.isNaN(Number(value))) return clean(value);
    const shown = formatNumber(Number(value), styles[style]?.format ?? "General", is1904);
    if (shown === "" && Number(value) !== 0) warnings.add("HIDDEN_TEXT");
    return shown;
  };
  const add = (column: number, text: string) => {
    while (row.length < column) row.push("");
    row[column] = text;
    size += text.length;
    if (size > fileLimits.maxCharacters) throw tooMuchTextError();
  };
  const repeatMerged = (reference: string) => {
    const [, start = "", top, end = "", bottom] = /^([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)$/.exec(reference) ?? [];
    const [from, to] = [parseColumn(start) ?? 0, Math.min(parseColumn(end) ?? -1, MAX_COLUMNS - 1)];
    const text = rows.get(Number(top))?.[from];
    if (!text) return;
    for (let below = Number(top); below <= Math.min(Number(bottom), number); below++) {
      row = rows.get(below) ?? [];
      // A cell across the whole table is a title, which applies to no column.
      const isTitle = row.every((cell, column) => cell === "" || (column >= from && column <= to));
      for (let column = from; column <= to && row.length > 0; column++) {
        if (!row[column] && !hiddenColumns.has(column) && (column === from || !isTitle)) add(column, text);
      }
    }
  };

  walk(part, {
    open({ name, attributes }) {
      const tag = localName(name);
      if (tag === "col" && isTrue(attributes.hidden)) {
        const last = Math.min(Number(attributes.max), MAX_COLUMNS);
        for (let column = Number(attributes.min); column <= last; column++) hiddenColumns.add(column - 1);
      }
      if (tag === "mergeCell") repeatMerged(attributes.ref ?? "");
      if (tag === "row") {
        row = [];
        next = 0;
        number = Number(attributes.r ?? number + 1);
        isHidden = isTrue(attributes.hidden);
      }
      if (tag === "f" && cell) cell.isFormula = true;
      inline.open(tag, attributes);
      if (tag !== "c") return;
      const column = parseColumn(attributes.r) ?? next;
      next = column + 1;
      inline.reset();
      const [type, style] = [attributes.t ?? "n", Number(attributes.s ?? 0)];
      cell = { column, type, style, value: "", isFormula: false, inline: null };
    },
    text(value, name) {
      if (cell && name === "v") cell.value += value;
      inline.text(value, name);
    },
    close(name) {
      inline.close(localName(name));
      if (localName(name) === "is" && cell) cell.inline = inline.result();
      if (localName(name) === "c" && cell) {
        // The type says where the text of a cell is, if some programs also write a value.
        if (cell.type === "inlineStr" || cell.value === "") cell.value = cell.inline ?? cell.value;
        const isBeyond = cell.column >= MAX_COLUMNS && cell.value !== "";
        if (isBeyond && !isWide) warnings.add("COLUMNS_LEFT_OUT");
        isWide ||= isBeyond;
        const isShown = !isHidden && cell.column < MAX_COLUMNS && !hiddenColumns.has(cell.column);
        if (isShown) add(cell.column, readCell(cell));
        else if (cell.value !== "" && cell.column < MAX_COLUMNS)
          hidden.add(isHidden ? `row ${number}` : `column ${cell.column}`);
        if (isShown && cell.isFormula && cell.value === "" && cell.type !== "str")
          warnings.add("FORMULAS_WITHOUT_RESULTS");
        cell = null;
      }
      if (localName(name) === "row" && row.length > 0) rows.set(number, row);
    },
  });
  if (hidden.size > 0) warnings.add("HIDDEN_CELLS", "", hidden.size);
  return [...rows.values()];
}

/** The id of a relationship, whose prefix differs between programs. */
const findRelationshipId = (attributes: Record<string, string>) =>
  Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1] ?? "";

const isTrue = (value: string | undefined) => value === "1" || value === "true";

/** Column index of a cell reference, from 0: 54 for `BC12`. */
function parseColumn(reference: string | undefined): number | null {
  const [letters] = /^[A-Z]{1,3}/.exec(reference ?? "") ?? [];
  if (!letters) return null;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Removes line breaks and control characters, which the file can write as `_x000D_`. */
const clean = (text: string) =>
  text
    .replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toWellFormed();
