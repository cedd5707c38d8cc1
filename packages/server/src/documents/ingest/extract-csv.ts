import { parse } from "csv-parse/sync";
import { ExtractionError } from "./extraction-error.ts";
import type { Block } from "./split-passages.ts";
import { tableBlocks } from "./table-blocks.ts";

const MAX_CELL = 100_000;

/** Reads a file with delimiter-separated values. The delimiter is the most frequent one in the first lines. */
export function extractCsv(text: string): Block[] {
  const start = text.slice(0, 10_000);
  const separators = [",", ";", "\t", "|"].map((separator) => [separator, start.split(separator).length] as const);
  const [separator] = separators.reduce((best, next) => (next[1] > best[1] ? next : best));
  try {
    const rows: string[][] = parse(text, {
      bom: true,
      delimiter: separator,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: MAX_CELL,
    });
    return tableBlocks(rows, null);
  } catch {
    throw new ExtractionError(
      "DAMAGED",
      "The CSV file could not be parsed. Check that every quotation mark is closed.",
    );
  }
}
