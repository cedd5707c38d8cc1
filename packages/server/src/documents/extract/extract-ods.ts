import type { FileContent, FileInput } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { fileLimits } from "./limits.ts";
import { openText, readSpace, readStyles, readTitle } from "./open-document.ts";
import type { Block } from "./split-passages.ts";
import { tableBlocks } from "./table-blocks.ts";
import { localName } from "./walk-xml.ts";
import type { Warnings } from "./warnings.ts";

/** Columns beyond this one are treated as layout and ignored. */
const MAX_COLUMNS = 200;
/** A row that is repeated more often than this is layout. */
const MAX_REPEATED = 1_000;

/** Reads the visible sheets of an OpenDocument spreadsheet, with the cells as they are shown. */
export function extractOds({ archive, onProgress, warnings }: FileInput): FileContent {
  const walk = openText(archive);
  const effects = readStyles(walk);
  const blocks: Block[] = [];
  let sheet: ReturnType<typeof createSheet> | null = null;
  let isSheetShown = true;
  let size = 0;
  let skipped = 0;
  walk("content.xml", {
    open({ name, attributes }) {
      const tag = localName(name);
      if (skipped > 0 || tag === "annotation" || tag === "shapes" || tag === "tracked-changes") {
        skipped++;
        return;
      }
      if (tag === "table") {
        const title = attributes["table:name"] ?? "";
        isSheetShown = !effects(attributes["table:style-name"]).isHidden;
        if (!isSheetShown) warnings.add("HIDDEN_SHEETS", title);
        sheet = createSheet(title);
        onProgress(0, 0);
      }
      sheet?.open(tag, attributes, effects(attributes["table:style-name"] ?? attributes["text:style-name"]));
    },
    text(value) {
      if (skipped > 0) return;
      sheet?.text(value);
    },
    close(name) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      const tag = localName(name);
      size += sheet?.close(tag) ?? 0;
      if (size > fileLimits.maxCharacters) {
        throw new ExtractionError("TOO_LARGE", "The sheets have more than 10.5 million characters. Split the file.");
      }
      if (tag !== "table" || !sheet) return;
      if (isSheetShown) blocks.push(...sheet.blocks(warnings));
      sheet = null;
    },
  });
  return { title: readTitle(walk), blocks };
}

type Cell = { text: string; repeat: number; rows: number };
type Style = { isStruck: boolean | null; isRaised: boolean };

function createSheet(title: string) {
  const rows: string[][] = [];
  const hiddenColumns = new Set<number>();
  /** Cells that reach into the rows below, by column. */
  const spans = new Map<number, { text: string; rows: number }>();
  let columns = 0;
  let row: string[] = [];
  let repeat = 1;
  let isHidden = false;
  let cell: Cell | null = null;
  let paragraphs = 0;
  /** what the attributes of the cell say, for programs that write no text */
  let stored = "";
  /** the styles of the open elements of the cell */
  const open: Style[] = [];
  let hidden = 0;
  let isWide = false;
  let cut = 0;

  const isNotShown = (attributes: Record<string, string>) =>
    /^(collapse|filter)$/.test(attributes["table:visibility"] ?? "");

  function addCell({ text, repeat: count, rows: spanned }: Cell, isCovered: boolean): void {
    for (let index = 0; index < count && row.length <= MAX_COLUMNS; index++) {
      const above = spans.get(row.length);
      const shown = isCovered ? (above?.text ?? "") : text;
      if (isCovered && above) {
        if (above.rows > 1) spans.set(row.length, { ...above, rows: above.rows - 1 });
        else spans.delete(row.length);
      } else if (spanned > 1) {
        spans.set(row.length, { text, rows: spanned - 1 });
      }
      if (row.length >= MAX_COLUMNS) isWide ||= shown !== "";
      else row.push(hiddenColumns.has(row.length) ? "" : shown);
      if (hiddenColumns.has(row.length - 1) && shown !== "") hidden++;
    }
  }

  return {
    open(tag: string, attributes: Record<string, string>, style: Style): void {
      const count = (name: string) => Math.max(1, Number(attributes[name] ?? 1) || 1);
      if (tag === "table-column") {
        const end = columns + count("table:number-columns-repeated");
        if (isNotShown(attributes)) for (let c = columns; c < Math.min(end, MAX_COLUMNS); c++) hiddenColumns.add(c);
        columns = end;
      }
      if (tag === "table-row") {
        row = [];
        repeat = count("table:number-rows-repeated");
        isHidden = isNotShown(attributes);
      }
      if (tag === "table-cell" || tag === "covered-table-cell") {
        cell = {
          text: "",
          repeat: count("table:number-columns-repeated"),
          rows: count("table:number-rows-spanned"),
        };
        paragraphs = 0;
        stored = readStored(attributes);
        open.length = 0;
      }
      if (!cell) return;
      open.push({ ...style, isStruck: style.isStruck ?? open.at(-1)?.isStruck ?? null });
      if (tag === "p" && paragraphs++ > 0) cell.text += " ";
      cell.text += readSpace(tag, attributes) ?? "";
    },
    text(value: string): void {
      if (!cell || paragraphs === 0) return;
      const { isStruck = null, isRaised = false } = open.at(-1) ?? {};
      // 10 with a raised 6 is not 106.
      if (isRaised && /\d$/.test(cell.text) && /^\d/.test(value)) cell.text += "^";
      cell.text += isStruck && value.trim() !== "" ? `~~${value}~~` : value;
    },
    /** @returns the number of characters that were added */
    close(tag: string): number {
      open.pop();
      if ((tag === "table-cell" || tag === "covered-table-cell") && cell) {
        const text = paragraphs === 0 ? stored : cell.text.replaceAll("~~~~", "");
        addCell({ ...cell, text: text.replace(/\s+/g, " ").trim() }, tag === "covered-table-cell");
        cell = null;
      }
      if (tag !== "table-row" || row.every((text) => text === "")) return 0;
      if (isHidden) {
        hidden++;
        return 0;
      }
      const times = Math.min(repeat, MAX_REPEATED);
      if (repeat > MAX_REPEATED) cut++;
      for (let index = 0; index < times; index++) rows.push(row);
      return times * row.reduce((sum, text) => sum + text.length, 0);
    },
    blocks(warnings: Warnings): Block[] {
      if (hidden > 0) warnings.add("HIDDEN_CELLS", "", hidden);
      if (isWide) warnings.add("COLUMNS_LEFT_OUT", title);
      if (cut > 0) warnings.add("ROWS_LEFT_OUT", title, cut);
      return tableBlocks(rows, title);
    },
  };
}

/** The value of a cell as its attributes have it. */
function readStored(attributes: Record<string, string>): string {
  const get = (name: string) => attributes[`office:${name}`] ?? "";
  const value = get("value");
  switch (get("value-type")) {
    case "string":
      return get("string-value");
    case "boolean":
      return get("boolean-value").toUpperCase();
    case "percentage":
      return value === "" ? "" : `${Number((Number(value) * 100).toPrecision(15))}%`;
    case "currency":
      return `${value} ${get("currency")}`;
    case "date":
      return get("date-value").replace("T", " ");
    case "time":
      return get("time-value").replace(/^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/, "$1:$2:$3");
    default:
      return value;
  }
}
