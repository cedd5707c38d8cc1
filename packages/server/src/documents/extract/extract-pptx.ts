import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { readDrawing, readGraphics } from "./read-drawing.ts";
import { isOfficeText } from "./read-zip.ts";
import type { Block } from "./split-passages.ts";
import { createWalker, localName, readRelationships, type Walk } from "./walk-xml.ts";

const MAX_SLIDES = 2_000;

/**
 * Reads a presentation: what an audience sees on its slides. Speaker notes, comments and hidden slides are left out.
 * The texts of a master are read once. The number of a slide is the page of its text.
 */
export function extractPptx({ archive, onProgress, warnings }: FileInput): FileContent {
  const parts = archive?.unpack(isOfficeText) ?? new Map();
  const walk = createWalker(parts);
  const presentation = archive?.mainPart ?? "";
  const relationships = readRelationships(walk, presentation);
  const slides: string[] = [];
  walk(presentation, {
    open({ name, attributes }) {
      if (localName(name) !== "sldId") return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? "";
      const { target } = relationships.get(id) ?? {};
      if (target && slides.length < MAX_SLIDES) slides.push(target);
    },
  });
  for (const name of archive?.names ?? []) {
    if (/(^|\/)embeddings\/(?!Microsoft_(Office_)?Excel)/i.test(name))
      warnings.add("ATTACHMENTS_LEFT_OUT", name.replace(/^.*\//, ""));
  }
  const blocks: Block[] = [];
  const seen = new Set<string>();
  for (const [index, part] of slides.entries()) {
    const page = index + 1;
    onProgress(page, slides.length);
    const { html, isHidden } = readSlide(walk, part, seen);
    if (isHidden) {
      warnings.add("HIDDEN_SLIDES", String(page));
      continue;
    }
    const found = extractHtml(`<main>${html}</main>`).blocks;
    // A slide that consists of its title has no text below a heading.
    const title = /<h2>(.*?)<\/h2>/s.exec(html)?.[1] ?? "";
    const content = found.length > 0 || title === "" ? found : extractHtml(`<p>${title}</p>`).blocks;
    if (content.length === 0) warnings.add("PAGES_WITHOUT_TEXT", String(page));
    blocks.push(...content.map((block) => ({ ...block, page })));
  }
  return { title: archive?.title ?? null, blocks };
}

/** Reads a slide with its diagrams and charts, and the texts of its layout and master that `seen` does not have yet. */
function readSlide(walk: Walk, part: string, seen: Set<string>): { html: string; isHidden: boolean } {
  const slide = readDrawing(walk, part);
  if (slide.isHidden) return slide;
  let masters = "";
  let current = slide;
  let based = part;
  for (const type of ["slideLayout", "slideMaster"]) {
    const { target } = [...readRelationships(walk, based).values()].find((found) => found.type === type) ?? {};
    if (!target || !current.isMasterShown || seen.has(target)) break;
    seen.add(target);
    current = readDrawing(walk, target, true);
    masters += current.html;
    based = target;
  }
  return { html: slide.html + readGraphics(walk, part) + masters, isHidden: false };
}
