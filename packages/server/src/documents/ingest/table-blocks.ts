import type { Block } from "./split-passages.ts";

/**
 * Converts the rows of a table to blocks. Each block repeats the column names, because a row is not understandable
 * without its header: `Name: City bike | Price: 20`. The first row with several filled cells is the header.
 */
export function tableBlocks(rows: Iterable<readonly string[]>, name: string | null): Block[] {
  const headings = name === null ? [] : [name];
  const blocks: Block[] = [];
  let header: readonly string[] | null = null;
  for (const row of rows) {
    const filled = row.filter((cell) => cell !== "");
    if (filled.length === 0) continue;
    if (header === null && filled.length > 1 && isHeader(row)) {
      header = row;
      continue;
    }
    const names: readonly string[] = header ?? [];
    const cells = row.flatMap((cell, index) => (cell === "" ? [] : [names[index] ? `${names[index]}: ${cell}` : cell]));
    blocks.push({ text: cells.join(" | "), headings, page: null });
  }
  // A table that consists only of a header is kept as text.
  if (blocks.length === 0 && header) blocks.push({ text: header.filter(Boolean).join(" | "), headings, page: null });
  return blocks;
}

/** Whether a row can be the header. A row with numbers is data. */
function isHeader(row: readonly string[]): boolean {
  return row.every((cell) => cell.length <= 100 && !/^[\d\s.,:%€$£¥+-]+$/.test(cell));
}
