import type { DocumentWarning, DocumentWarningCode } from "@foyer/contract";

/** Collects what was left out of a file. Readers call it for each sheet, page or other unit. */
export type Warnings = ReturnType<typeof createWarnings>;

/** The number of units that a message names. */
const MAX_NAMES = 10;

export function createWarnings() {
  const found = new Map<DocumentWarningCode, { count: number; names: string[] }>();
  return {
    /** @param name what the unit is called, such as the number of a page */
    add(code: DocumentWarningCode, name = "", count = 1): void {
      const entry = found.get(code) ?? { count: 0, names: [] };
      entry.count += count;
      if (name !== "" && entry.names.length <= MAX_NAMES) entry.names.push(name.slice(0, 100).toWellFormed());
      found.set(code, entry);
    },
    list: (): DocumentWarning[] =>
      [...found].map(([code, { count, names }]) => ({ code, count, message: messages[code](count, listNames(names)) })),
  };
}

const messages: Record<DocumentWarningCode, (count: number, names: string) => string> = {
  HIDDEN_SHEETS: (count, names) => `${plural(count, "hidden sheet was", "hidden sheets were")} left out${names}.`,
  HIDDEN_CELLS: (count) => `${plural(count, "hidden row or column was", "hidden rows or columns were")} left out.`,
  HIDDEN_TEXT: (count) => `${plural(count, "hidden piece of text was", "hidden pieces of text were")} left out.`,
  HIDDEN_SLIDES: (count, names) => `${plural(count, "hidden slide was", "hidden slides were")} left out${names}.`,
  PAGES_WITHOUT_TEXT: (count, names) =>
    `${plural(count, "page has", "pages have")} no text${names}. If it is on images, run text recognition (OCR) and upload the result.`,
  UNREADABLE_PAGES: (count, names) => `${plural(count, "page or part", "pages or parts")} could not be read${names}.`,
  UNREADABLE_CHARACTERS: (count) =>
    `${plural(count, "character", "characters")} could not be read, because the fonts in the file do not name them.`,
  FORMULAS_WITHOUT_RESULTS: (count) =>
    `${plural(count, "formula has", "formulas have")} no stored result. Open the file in a spreadsheet program, save it and upload it again.`,
  COLUMNS_LEFT_OUT: (count, names) =>
    `${plural(count, "table has", "tables have")} more columns than can be read, and the last ones were left out${names}.`,
  ROWS_LEFT_OUT: (count, names) =>
    `${plural(count, "row is", "rows are")} repeated too often, and the further repetitions were left out${names}.`,
  ROWS_WITH_FAULTY_QUOTES: (count) =>
    `${plural(count, "row has", "rows have")} a faulty quotation mark, so ${count === 1 ? "its" : "their"} columns may be wrong. Write quotation marks within a field twice, and upload the file again.`,
  DELETED_TEXT: (count) =>
    `${plural(count, "piece of text", "pieces of text")} that a tracked change deletes ${count === 1 ? "was" : "were"} left out. Accept or reject the changes to decide on ${count === 1 ? "it" : "them"}.`,
  ATTACHMENTS_LEFT_OUT: (count, names) =>
    `${plural(count, "attachment or embedded file was", "attachments or embedded files were")} not read${names}. Upload them individually.`,
  FORM_NOT_READ: () =>
    "The file contains a dynamic form, whose fields were not read. Save it as an ordinary PDF and upload it again.",
  ENCODING_UNKNOWN: () =>
    "The file does not say which encoding its text has, and was read as Western European text. Save it as UTF-8 and upload it again.",
  CHARACTERS_REPLACED: (count) =>
    `${plural(count, "byte is", "bytes are")} invalid in the encoding of the file and ${count === 1 ? "was" : "were"} replaced. Save the file as UTF-8 and upload it again.`,
};

const plural = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

function listNames(names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return ` (${shown}${names.length > MAX_NAMES ? ", …" : ""})`;
}
