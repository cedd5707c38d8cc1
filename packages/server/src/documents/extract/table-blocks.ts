import { fileLimits } from "./limits.ts";
import type { Block } from "./split-passages.ts";

/** The number of leading rows that tell how wide a table is. */
const SAMPLE_ROWS = 100;
/** A header has at least this share of the filled cells of an ordinary row. */
const HEADER_SHARE = 0.7;
const MAX_HEADER_CELL = 300;
/** The number of rows after which a table repeats its column names when they are not repeated for each cell. */
const ROWS_PER_HEADER = 20;

/**
 * Converts the rows of a sheet or file to blocks. Each block repeats the column names, because a row is not
 * understandable without its header: `Name: City bike | Price: 20`. The header is the first row that is as wide as the
 * others and has no numbers. Rows above it are titles. A table that would become too long with all of these names repeats
 * them for groups of rows.
 */
export function tableBlocks(rows: Iterable<readonly string[]>, name: string | null): Block[] {
  const headings = name === null ? [] : [name];
  const filled = [...rows].filter((row) => countFilled(row) > 0);
  const start = findHeader(filled);
  const header = filled[start] ?? [];
  const isHeaderShown = !areNamesUsed(header, filled.slice(start + 1));
  const labelled = filled.map((row, index) => (index > start && start >= 0 ? labelRow(header, row) : joinCells(row)));
  if (labelled.reduce((sum, { length }) => sum + length, 0) > fileLimits.maxCharacters) {
    return filled.flatMap((row, index) => {
      const isGroup = index > start + 1 && start >= 0 && (index - start - 1) % ROWS_PER_HEADER === 0;
      return [...(isGroup ? [header] : []), row].map((cells) => ({ text: joinCells(cells), headings, page: null }));
    });
  }
  return labelled.flatMap((text, index) => (index === start && !isHeaderShown ? [] : [{ text, headings, page: null }]));
}

/** Whether each name of a header labels a cell. A header with further names is kept as text. */
export const areNamesUsed = (header: readonly string[], rows: readonly (readonly string[])[]): boolean =>
  rows.length > 0 && header.every((name, column) => name === "" || rows.some((row) => (row[column] ?? "") !== ""));

/** `Name: City bike | Price: 20` */
export const labelRow = (header: readonly string[], row: readonly string[]): string =>
  joinCells(row.map((cell, index) => (cell !== "" && header[index] ? `${header[index]}: ${cell}` : cell)));

const joinCells = (row: readonly string[]) => row.filter((cell) => cell !== "").join(" | ");
const countFilled = (row: readonly string[]) => row.filter((cell) => cell !== "").length;

/** The index of the header, or -1 if the table has none. */
function findHeader(rows: readonly (readonly string[])[]): number {
  const widths = rows
    .slice(0, SAMPLE_ROWS)
    .map(countFilled)
    .filter((width) => width > 1);
  const ordinary = widths.sort((a, b) => a - b)[Math.floor(widths.length / 2)] ?? 2;
  const first = rows.findIndex((row) => countFilled(row) >= Math.max(2, HEADER_SHARE * ordinary));
  const candidate = rows[first];
  return candidate && isHeader(candidate) ? first : -1;
}

/** Whether a row can be the header. A row with numbers is data, unless they are consecutive years. */
function isHeader(row: readonly string[]): boolean {
  const numbers = row.filter((cell) => isNumber(cell)).map(Number);
  const areYears = numbers.length > 1 && numbers.every((year) => isYear(String(year)));
  const isSeries = numbers.every((year, index) => index === 0 || Math.abs(year - (numbers[index - 1] ?? 0)) === 1);
  const isLabelled = numbers.length < countFilled(row);
  return (
    row.every((cell) => cell.length <= MAX_HEADER_CELL) &&
    (numbers.length === 0 || (areYears && isSeries && isLabelled))
  );
}

export const isYear = (cell: string): boolean => /^(19|20)\d\d$/.test(cell);

/** Whether a cell holds an amount, with or without a unit: "20 euros". */
export const startsWithNumber = (cell: string): boolean => /^[\p{Sc}~≈<>±+\u2212-]?\s?\d/u.test(cell);

const isNumber = (cell: string): boolean => /\d/.test(cell) && /^[\d\s.,:%\p{Sc}+\u2212-]+$/u.test(cell);
