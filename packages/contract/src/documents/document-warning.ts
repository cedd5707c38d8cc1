import Type, { type Static } from "typebox";
import { stringEnum } from "../schema.ts";

/** What was left out of a document that was read. */
export const documentWarningCodes = {
  HIDDEN_SHEETS: "Sheets that the author hid were left out.",
  HIDDEN_CELLS: "Rows and columns that the author hid were left out.",
  HIDDEN_TEXT: "Text that the author hid was left out.",
  HIDDEN_SLIDES: "Slides that the author hid were left out.",
  PAGES_WITHOUT_TEXT: "Pages or slides contain no text, such as scans.",
  UNREADABLE_PAGES: "Pages, chapters or sheets could not be read.",
  UNREADABLE_CHARACTERS: "Characters could not be read, because their fonts do not name them.",
  FORMULAS_WITHOUT_RESULTS: "Formulas have no stored result.",
  COLUMNS_LEFT_OUT: "Columns beyond the limit were left out.",
  ROWS_LEFT_OUT: "Repetitions of a row beyond the limit were left out.",
  ROWS_WITH_FAULTY_QUOTES: "Rows of a CSV file have a faulty quotation mark, so their columns may be wrong.",
  DELETED_TEXT: "Text that tracked changes delete was left out.",
  ATTACHMENTS_LEFT_OUT: "Attachments and embedded files were not read.",
  FORM_NOT_READ: "The fields of a form could not be read.",
  ENCODING_UNKNOWN: "The encoding of the text is unknown, so its letters are probably wrong.",
  CHARACTERS_REPLACED: "Bytes that are invalid in the encoding of the text were replaced.",
} as const;
export type DocumentWarningCode = keyof typeof documentWarningCodes;

export const DocumentWarning = Type.Object({
  code: stringEnum(Object.keys(documentWarningCodes) as DocumentWarningCode[], "More codes can be added later."),
  message: Type.String({ description: "What was left out, in English" }),
  count: Type.Integer({ description: "How many sheets, pages, characters or other units the warning is about" }),
});
export type DocumentWarning = Static<typeof DocumentWarning>;
