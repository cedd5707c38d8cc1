import { Readable } from "node:stream";
import { stringify } from "csv-stringify";

/**
 * Matches the separators that start a new cell within a quoted cell, in a spreadsheet that separates cells by
 * semicolons or tabs, as Excel does in many countries. Such a spreadsheet ends a quoted cell only at its own separator,
 * so quotes do not prevent the text after it from running as a formula.
 */
const embeddedFormula = /([;\t\r\n])(?=[=+\-@＝＋－＠])/g;

/**
 * Streams rows as a CSV file for spreadsheets: RFC 4180 with a header row, and a byte order mark so that spreadsheets
 * detect UTF-8. Text that would run as a formula is prefixed with an apostrophe.
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
