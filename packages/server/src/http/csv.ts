import { Readable } from "node:stream";
import { stringify } from "csv-stringify";

/**
 * Matches where a spreadsheet begins a new cell within a cell if it separates cells by semicolons or tabs, as Excel
 * does in many countries. Such a spreadsheet ends a quoted cell only at its own separator, so quotes do not protect
 * what follows.
 */
const embeddedFormula = /([;\t\r\n])(?=[=+\-@＝＋－＠])/g;

/**
 * Streams rows as a CSV file for spreadsheets: RFC 4180 with a header, and a byte order mark so that they detect UTF-8.
 * Text that a spreadsheet would run as a formula is marked as text with an apostrophe.
 */
export function createCsvStream(columns: readonly string[], rows: AsyncIterable<string[]>): Readable {
  return Readable.from(rows).pipe(
    stringify({
      header: true,
      columns: [...columns],
      bom: true,
      quoted: true,
      cast: { string: (text) => text.replace(embeddedFormula, "$1'") },
      escape_formulas: true,
      record_delimiter: "windows",
    }),
  );
}
