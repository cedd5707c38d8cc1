import type { FileContent, FileInput } from "./extracted.ts";
import { readAllRecords } from "./read-records.ts";
import { tableBlocks } from "./table-blocks.ts";

/** Reads a file with delimiter-separated values. */
export function extractCsv({ text, warnings }: FileInput): FileContent {
  const { records, faulty } = readAllRecords(text);
  if (faulty > 0) warnings.add("ROWS_WITH_FAULTY_QUOTES", "", faulty);
  return { title: null, blocks: tableBlocks(records, null) };
}
