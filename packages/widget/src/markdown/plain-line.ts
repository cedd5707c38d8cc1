import { parseInline } from "./inline.ts";
import { plainText } from "./inline-writer.ts";

/** The mark that begins a heading, a list item or a quote. */
const blockMark = /^(?:#{1,6}|[-*+•]|>)\s+/;

/** A line of Markdown without its formatting. Emphasis that a cut-off text does not close ends with the text. */
export function plainLine(text: string): string {
  return plainText(parseInline(text.replace(blockMark, ""), [], true)).trim();
}
