import type { Block } from "./split-passages.ts";

/** The content of a file. `title` comes from the file's own metadata. */
export type Extracted = { mimeType: string; title: string | null; blocks: Block[] };

/** Called with the number of pages or other units read so far. `total` is 0 while it is unknown. */
export type OnProgress = (done: number, total: number) => void;
