import { SaxesParser, type SaxesTagPlain } from "saxes";
import type { OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { fileLimits } from "./limits.ts";
import { readXml } from "./read-zip.ts";
import type { Block } from "./split-passages.ts";
import { tableBlocks } from "./table-blocks.ts";

/** The maximum number of sheets, each of which is stored in a part of its own. */
const MAX_SHEETS = 200;
/** The maximum number of characters of XML that are read from one file. */
const MAX_XML = 64 * 1024 * 1024;
/** Columns beyond this one are treated as layout and ignored. */
const MAX_COLUMNS = 200;
/** Built-in number formats that show a date. */
const DATE_FORMATS = new Set([14, 15, 16, 17, 22, 27, 30, 36, 45, 46, 47, 50, 57]);

type Parts = ReadonlyMap<string, Uint8Array>;
type Workbook = { strings: string[]; dateStyles: Set<number> };

/** Reads the non-empty rows of every sheet, with the sheet's name as the heading. */
export function extractSheets(parts: Parts, onProgress: OnProgress): Block[] {
  const walk = createWalker(parts);
  const workbook = { strings: readStrings(walk), dateStyles: readDateStyles(walk) };
  const sheets = readSheets(walk);
  let characters = 0;
  return sheets.flatMap(({ name, part }, index) => {
    onProgress(index, sheets.length);
    const blocks = tableBlocks(readRows(walk, part, workbook), name);
    characters += blocks.reduce((sum, { text }) => sum + text.length, 0);
    // Many cells can share one long string, so a small file can expand to any amount of text.
    if (characters > fileLimits.maxCharacters) throw tooMuchTextError();
    return blocks;
  });
}

function tooMuchTextError(): ExtractionError {
  return new ExtractionError("TOO_LARGE", "The sheets have more than 5 million characters. Split the file.");
}

/** Returns each sheet once, because thousands of entries can share one part. */
function readSheets(walk: Walk): Array<{ name: string; part: string }> {
  const targets = new Map<string, string>();
  walk("xl/_rels/workbook.xml.rels", {
    open({ attributes }) {
      const { Id, Target } = attributes;
      if (Id && Target) targets.set(Id, Target.startsWith("/") ? Target.slice(1) : `xl/${Target}`);
    },
  });
  const sheets = new Map<string, string>();
  walk("xl/workbook.xml", {
    open({ name, attributes }) {
      const part = localName(name) === "sheet" ? targets.get(attributes["r:id"] ?? "") : undefined;
      if (part && !sheets.has(part)) sheets.set(part, attributes.name ?? "");
      if (sheets.size > MAX_SHEETS) {
        throw new ExtractionError("TOO_LARGE", `The file has more than ${MAX_SHEETS} sheets. Split the file.`);
      }
    },
  });
  return [...sheets].map(([part, name]) => ({ name, part }));
}

function readStrings(walk: Walk): string[] {
  const strings: string[] = [];
  let text: string | null = null;
  let isPhonetic = false;
  walk("xl/sharedStrings.xml", {
    open({ name }) {
      if (localName(name) === "si") text = "";
      if (localName(name) === "rPh") isPhonetic = true;
    },
    text(value, name) {
      if (text !== null && !isPhonetic && name === "t") text += value;
    },
    close(name) {
      if (localName(name) === "rPh") isPhonetic = false;
      if (localName(name) !== "si") return;
      strings.push(clean(text ?? ""));
      text = null;
    },
  });
  return strings;
}

/** Indexes of the cell styles that show a number as a date. */
function readDateStyles(walk: Walk): Set<number> {
  const custom = new Set<number>();
  const styles = new Set<number>();
  let isInCells = false;
  let index = 0;
  walk("xl/styles.xml", {
    open({ name, attributes }) {
      const tag = localName(name);
      const format = (attributes.formatCode ?? "").replace(/"[^"]*"|\[[^\]]*\]|\\./g, "");
      if (tag === "numFmt" && /[dy]/i.test(format)) custom.add(Number(attributes.numFmtId));
      if (tag === "cellXfs") isInCells = true;
      if (tag !== "xf" || !isInCells) return;
      const id = Number(attributes.numFmtId);
      if (DATE_FORMATS.has(id) || custom.has(id)) styles.add(index);
      index++;
    },
    close(name) {
      if (localName(name) === "cellXfs") isInCells = false;
    },
  });
  return styles;
}

function readRows(walk: Walk, part: string, { strings, dateStyles }: Workbook): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell: { column: number; type: string; style: number; value: string } | null = null;
  let size = 0;

  const readCell = ({ type, style, value }: NonNullable<typeof cell>) => {
    if (type === "s") return strings[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "yes" : "no";
    if (type === "e") return "";
    if (type === "n" && dateStyles.has(style)) return formatSerialDate(Number(value));
    return clean(value);
  };

  walk(part, {
    open({ name, attributes }) {
      const tag = localName(name);
      if (tag === "row") row = [];
      if (tag !== "c") return;
      const column = parseColumn(attributes.r) ?? row.length;
      cell = { column, type: attributes.t ?? "n", style: Number(attributes.s ?? -1), value: "" };
    },
    text(value, name) {
      if (cell && (name === "v" || name === "t")) cell.value += value;
    },
    close(name) {
      if (localName(name) === "c" && cell && cell.column < MAX_COLUMNS) {
        while (row.length < cell.column) row.push("");
        row[cell.column] = readCell(cell);
        size += row[cell.column]?.length ?? 0;
        if (size > fileLimits.maxCharacters) throw tooMuchTextError();
        cell = null;
      }
      if (localName(name) === "row" && row.length > 0) rows.push(row);
    },
  });
  return rows;
}

/** Column index of a cell reference, from 0: 54 for `BC12`. */
function parseColumn(reference: string | undefined): number | null {
  const [letters] = /^[A-Z]{1,3}/.exec(reference ?? "") ?? [];
  if (!letters) return null;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Converts an Excel date, which counts days from 1899-12-30. */
function formatSerialDate(days: number): string {
  const date = new Date(Math.round((days - 25_569) * 86_400_000));
  if (Number.isNaN(date.getTime())) return String(days);
  const iso = date.toISOString();
  return Number.isInteger(days) ? iso.slice(0, 10) : iso.slice(0, 16).replace("T", " ");
}

const clean = (text: string) => text.replace(/\s+/g, " ").trim();
const localName = (name: string) => name.slice(name.indexOf(":") + 1);

type Handlers = {
  open?: (tag: SaxesTagPlain) => void;
  /** `name` is the element that directly contains the text */
  text?: (text: string, name: string) => void;
  close?: (name: string) => void;
};

/** Reads a part. A part that does not exist is empty. */
type Walk = (part: string, handlers: Handlers) => void;

/** Creates a function that reads parts, up to `MAX_XML` characters in total. */
function createWalker(parts: Parts): Walk {
  let remaining = MAX_XML;
  return (part, handlers) => {
    const xml = readXml(parts, part);
    if (xml === null) return;
    remaining -= xml.length;
    if (remaining < 0) {
      const megabytes = MAX_XML / 1024 / 1024;
      throw new ExtractionError("TOO_LARGE", `The sheets unpack to more than ${megabytes} MB. Split the file.`);
    }
    walkXml(xml, handlers);
  };
}

function walkXml(xml: string, { open, text, close }: Handlers): void {
  const parser = new SaxesParser();
  const path: string[] = [];
  parser.on("opentag", (tag) => {
    path.push(localName(tag.name));
    open?.(tag);
  });
  parser.on("text", (value) => text?.(value, path.at(-1) ?? ""));
  parser.on("closetag", ({ name }) => {
    path.pop();
    close?.(name);
  });
  parser.on("error", () => {
    throw new ExtractionError(
      "DAMAGED",
      "A sheet is incomplete or damaged. Save the file again and upload the new copy.",
    );
  });
  for (let start = 0; start < xml.length; start += 65_536) parser.write(xml.slice(start, start + 65_536));
  parser.close();
}
