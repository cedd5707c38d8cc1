import { SaxesParser } from "saxes";
import { OPTIONAL } from "./compare-texts.ts";

/** What LibreOffice shows for a formula that it cannot compute, whose result the file may store. */
const failedFormula = /^\s*(Err:\d+|#[A-Z/0]+[?!])\s*$/;
/** The number of characters after which a sheet is not read further. */
const MAX_CHARACTERS = 20_000_000;
const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/**
 * The cells and drawings of a flat OpenDocument spreadsheet (.fods) as LibreOffice shows them, without hidden sheets,
 * rows and columns. The names of sheets and the data of charts are optional.
 */
export function readFlatSpreadsheet(xml: string): string {
  const hiddenStyles = new Set<string>();
  const parser = new SaxesParser();
  const path: string[] = [];
  let style = "";
  let text = "";
  let optional = "";
  let row = "";
  let rowRepeat = 1;
  let isRowHidden = false;
  let column = 0;
  let columns = 0;
  let hiddenColumns = new Set<number>();
  let cell = { text: "", repeat: 1 };
  let isSheetHidden = false;
  const isIn = (tag: string) => path.includes(tag);
  const isInCell = () => path.includes("table-cell");
  const isNotShown = (attributes: Record<string, string>) =>
    /^(collapse|filter)$/.test(attributes["table:visibility"] ?? "");
  const readCount = (value: string | undefined) => Number(value ?? 1);

  parser.on("opentag", ({ name, attributes }) => {
    const tag = localName(name);
    path.push(tag);
    if (tag === "style") style = attributes["style:name"] ?? "";
    if (tag === "table-properties" && attributes["table:display"] === "false") hiddenStyles.add(style);
    if (isIn("chart") || isIn("annotation")) return;
    if (tag === "table") {
      isSheetHidden = hiddenStyles.has(attributes["table:style-name"] ?? "");
      hiddenColumns = new Set();
      columns = 0;
      optional += `${attributes["table:name"] ?? ""} `;
    }
    if (tag === "table-column") {
      const end = columns + readCount(attributes["table:number-columns-repeated"]);
      if (isNotShown(attributes)) for (let index = columns; index < end; index++) hiddenColumns.add(index);
      columns = end;
    }
    if (tag === "table-row") {
      [row, column] = ["", 0];
      rowRepeat = readCount(attributes["table:number-rows-repeated"]);
      isRowHidden = isNotShown(attributes);
    }
    if (tag === "table-cell" || tag === "covered-table-cell") {
      cell = { text: "", repeat: readCount(attributes["table:number-columns-repeated"]) };
    }
    if (isInCell() && (tag === "p" || tag === "s" || tag === "tab" || tag === "line-break")) cell.text += " ";
  });
  parser.on("text", (value) => {
    if (isIn("annotation") || !isIn("p")) return;
    if (isIn("chart")) optional += `${value} `;
    else if (isInCell()) cell.text += value;
    else if (isIn("shapes") && !isSheetHidden) text += `${value} `;
  });
  parser.on("closetag", ({ name }) => {
    const tag = localName(name);
    path.pop();
    if (isIn("chart") || isIn("annotation")) return;
    if (tag === "table-cell" || tag === "covered-table-cell") {
      for (let index = 0; index < cell.repeat; index++, column++) {
        if (cell.text.trim() === "") {
          column += cell.repeat;
          break;
        }
        if (failedFormula.test(cell.text)) optional += `${cell.text} `;
        else if (!hiddenColumns.has(column)) row += `${cell.text}\t`;
        if (row.length > MAX_CHARACTERS) break;
      }
      cell = { text: "", repeat: 1 };
    }
    if (tag === "table-row" && row !== "" && !isRowHidden && !isSheetHidden) {
      for (let index = 0; index < rowRepeat && text.length < MAX_CHARACTERS; index++) text += `${row}\n`;
    }
  });
  parser.write(xml).close();
  return text + (optional === "" ? "" : OPTIONAL + optional);
}
