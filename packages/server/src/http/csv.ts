import { Readable } from "node:stream";
import { stringify } from "csv-stringify";

/**
 * Streams rows as a CSV file for spreadsheets: RFC 4180 with a header, and a byte order mark so that they detect UTF-8.
 * Text that a spreadsheet would run as a formula is marked as text.
 */
export function csvStream(columns: readonly string[], rows: AsyncIterable<string[]>): Readable {
  return Readable.from(rows).pipe(
    stringify({
      header: true,
      columns: [...columns],
      bom: true,
      quoted: true,
      escape_formulas: true,
      record_delimiter: "windows",
    }),
  );
}
