import { type Block, parseBlocks } from "./blocks.ts";
import { parseInline } from "./inline.ts";
import { plainText } from "./inline-writer.ts";
import { isTask, taskText } from "./task-item.ts";

/** Markdown as it is displayed, without its marks, for screen readers. */
export function toPlainText(markdown: string): string {
  return blocksText(parseBlocks(markdown));
}

const blocksText = (blocks: readonly Block[]): string => blocks.map(blockText).filter(Boolean).join("\n");
const inlineText = (text: string): string => plainText(parseInline(text, []));

function blockText(block: Block): string {
  switch (block.type) {
    case "code":
      return block.text;
    case "quote":
      return blocksText(block.children);
    case "list":
      return block.items.map((item) => (isTask(item) ? taskText(blocksText(item)) : blocksText(item))).join("\n");
    case "table":
      return [block.head, ...block.rows].map((row) => row.map(inlineText).join(", ")).join("\n");
    case "rule":
      return "";
    default:
      return inlineText(block.text);
  }
}
