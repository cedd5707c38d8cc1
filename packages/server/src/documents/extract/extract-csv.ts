import type { FileContent, FileInput } from "./extracted.ts";
import { readAllRecords } from "./read-records.ts";
import { tableBlocks } from "./table-blocks.ts";

/** Reads a file with delimiter-separated values. */
export function extractCsv({ text }: FileInput): FileContent {
  return { title: null, blocks: tableBlocks(readAllRecords(text), null) };
}
