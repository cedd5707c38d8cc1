/** The name of the highlight in the document's registry and in preview.css. */
const NAME = "foyer-search";

/**
 * Marks occurrences of a text below `root` without changing the elements, which the renderer owns. Browsers without the
 * CSS Custom Highlight API show no marks.
 */
export function createTextHighlighter(root: Node) {
  const registry = typeof Highlight === "undefined" ? undefined : globalThis.CSS.highlights;
  let own: Range[] = [];
  return {
    /** Replaces the marks. An empty text removes them. */
    mark(text: string): void {
      if (!registry) return;
      const highlight = registry.get(NAME) ?? new Highlight();
      registry.set(NAME, highlight);
      for (const range of own) highlight.delete(range);
      own = text === "" ? [] : findRanges(root, text.toLowerCase());
      for (const range of own) highlight.add(range);
    },
  };
}

function findRanges(root: Node, needle: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    // A few letters change their length in lower case, which would make the offsets wrong.
    if (text.length !== node.nodeValue?.length) continue;
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
  }
  return ranges;
}
