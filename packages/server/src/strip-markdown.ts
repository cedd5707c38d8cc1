/**
 * Markdown as plain text, for an excerpt in a message: without the marks of headings, emphasis and code, and with the
 * text of links. Lists and line breaks stay.
 */
export function stripMarkdown(text: string): string {
  return text
    .replace(/!?\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g, "$1")
    .replace(/^[ \t]{0,3}(?:#{1,6}[ \t]+|```.*$)/gm, "")
    .replace(/(\*\*|__|~~|`)(?=\S)([^\n]*?\S)\1/g, "$2")
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g, "$1");
}
