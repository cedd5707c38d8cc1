import { areNamesUsed, isYear, labelRow, startsWithNumber } from "./table-blocks.ts";

/** `isRepeated` means that the cell spans several columns, and this is not its first one. */
type Cell = { text: string; isRepeated: boolean; isBold: boolean };
type Row = { cells: Cell[]; isHeader: boolean };
type OpenCell = { colspan: number; rowspan: number; isBold: boolean };

const MAX_COLSPAN = 200;
const MAX_ROWSPAN = 1_000;
/** Cells that span rows are repeated up to this number of characters in a table. */
const MAX_REPEATED = 1_000_000;
/** Cells of a header that only its content shows are at most this long. */
const MAX_HEADER_CELL = 60;

/**
 * Turns the outermost table into lines that repeat the header: `Size: M | Price: 20`. Cells that span several rows or
 * columns apply to each of them. Nested tables are cell text.
 */
export function createTable() {
  let rows: Row[] = [];
  let row: Cell[] = [];
  let spans = new Map<number, { cell: Cell; rows: number }>();
  let repeated = 0;
  let isHeader = true;
  let hasHeaderCell = false;
  let isInHead = false;
  let depth = 0;
  let cell: OpenCell | null = null;

  /** Adds the cells of the rows above that reach into this row at its next column. */
  const addSpans = () => {
    for (let span = spans.get(row.length); span !== undefined; span = spans.get(row.length)) {
      const { length } = row;
      repeated += span.cell.text.length;
      if (span.rows > 1 && repeated < MAX_REPEATED) spans.set(length, { ...span, rows: span.rows - 1 });
      else spans.delete(length);
      row.push(span.cell);
    }
  };

  return {
    isInCell: () => depth > 0,
    /** @returns true when a cell of the outermost table begins */
    openCell({ colspan, rowspan }: Record<string, string>): boolean {
      if (++depth > 1) return false;
      cell = { colspan: readSpan(colspan, MAX_COLSPAN), rowspan: readSpan(rowspan, MAX_ROWSPAN), isBold: false };
      return true;
    },
    openHead(): void {
      if (depth === 0) isInHead = true;
    },
    closeHead(): void {
      if (depth === 0) isInHead = false;
    },
    markBold(): void {
      if (cell) cell.isBold = true;
    },
    /** @returns true when the text was the content of a cell of the outermost table */
    closeCell(tag: string, text: string): boolean {
      if (depth === 0 || --depth > 0 || !cell) return false;
      const { colspan, rowspan, isBold } = cell;
      addSpans();
      for (let index = 0; index < colspan; index++) {
        const added = { text: text.replace(/\s+/g, " ").trim(), isRepeated: index > 0, isBold };
        if (rowspan > 1) spans.set(row.length, { cell: added, rows: rowspan - 1 });
        row.push(added);
      }
      // The corner above the names of rows is often an empty cell.
      isHeader &&= tag === "th" || isInHead || text.trim() === "";
      hasHeaderCell ||= tag === "th" || isInHead;
      cell = null;
      return true;
    },
    closeRow(): void {
      if (depth > 0 || row.length === 0) return;
      addSpans();
      rows.push({ cells: row, isHeader: isHeader && hasHeaderCell });
      row = [];
      isHeader = true;
      hasHeaderCell = false;
    },
    /** @returns the lines of the table when the outermost one ends */
    close(): string[] {
      if (depth > 0) return [];
      const lines = formatRows(rows);
      rows = [];
      row = [];
      spans = new Map();
      repeated = 0;
      return lines;
    },
  };
}

function readSpan(value: string | undefined, max: number): number {
  const span = Number.parseInt(value ?? "1", 10);
  return span > 1 ? Math.min(span, max) : 1;
}

function formatRows(rows: readonly Row[]): string[] {
  const inferred = findHeader(rows);
  const lines: string[] = [];
  let header: string[] = [];
  let waiting: string[] = [];
  let labelled: string[][] = [];
  /** Keeps a header as text if some of its names label no cell. */
  const keepUnused = () => {
    if (waiting.length > 0 && !areNamesUsed(header, labelled)) lines.push(...waiting);
    waiting = [];
    labelled = [];
  };
  for (const [index, { cells, isHeader }] of rows.entries()) {
    const texts = cells.map(({ text }) => text);
    const plain = cells.filter(({ isRepeated }) => !isRepeated).map(({ text }) => text);
    // A cell across the whole table is a title.
    const isTitle = plain.length === 1 && cells.length > 1;
    if ((isHeader || index === inferred) && !isTitle) {
      if (labelled.length > 0) keepUnused();
      header = waiting.length > 0 ? texts.map((text, column) => joinDistinct(header[column], text)) : texts;
      waiting.push(labelRow([], plain));
      continue;
    }
    const isLabelled = header.length > 1 && cells.length <= header.length && !isTitle;
    if (isLabelled) labelled.push(texts);
    lines.push(isLabelled ? labelRow(header, texts) : labelRow([], plain));
  }
  keepUnused();
  return lines;
}

const joinDistinct = (above = "", below = "") => (above === below ? above : `${above} ${below}`.trim());

/** The index of a first row that is a header although its cells are not marked as such, or -1. */
function findHeader(rows: readonly Row[]): number {
  const [first, ...rest] = rows;
  if (!first || rest.length === 0 || rows.some(({ isHeader }) => isHeader)) return -1;
  const { cells } = first;
  const isEven = cells.length > 1 && rest.every((row) => row.cells.length === cells.length);
  const names = cells.map(({ text }) => text);
  const areNames = names.every(
    (name) => name !== "" && name.length <= MAX_HEADER_CELL && (!/\d/.test(name) || isYear(name)),
  );
  if (!isEven || !areNames || new Set(names).size < names.length) return -1;
  const isOnlyBold = cells.every(({ isBold }) => isBold) && !rest[0]?.cells.every(({ isBold }) => isBold);
  const hasNumbers =
    rest.length > 1 &&
    names.some((_, column) => {
      const below = rest.map((row) => row.cells[column]?.text ?? "").filter(Boolean);
      return below.length > 1 && below.every(startsWithNumber);
    });
  return isOnlyBold || hasNumbers ? 0 : -1;
}
