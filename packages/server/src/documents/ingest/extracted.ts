import type { Block } from "./split-passages.ts";

/** What a file says. `title` is its own one, if it has any. */
export type Extracted = { mimeType: string; title: string | null; blocks: Block[] };

/** Called with the pages or other units that were read; `total` is 0 while it is unknown. */
export type OnProgress = (done: number, total: number) => void;
