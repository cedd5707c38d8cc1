import { strToU8, zipSync } from "fflate";
import mammoth from "mammoth";
import { withNumbers } from "./docx-numbering.ts";
import {
  countDeletedRuns,
  headingStyles,
  joinEdges,
  withLinearEquations,
  withoutHiddenRuns,
  withoutWrappers,
} from "./docx-parts.ts";
import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { readXml } from "./read-zip.ts";
import type { Block } from "./split-passages.ts";
import type { Warnings } from "./warnings.ts";

/** The parts that contain text. Images and embedded files are never unpacked. */
const textPart = /^(\[Content_Types\]\.xml|_rels\/.*|word\/[^/]+\.xml|word\/_rels\/.*)$/i;

/** Reads a DOCX file with its page headers and footers, which are read once. */
export async function extractDocx({ archive, onProgress, warnings }: FileInput): Promise<FileContent> {
  const parts: Map<string, Uint8Array> = archive?.unpack((name) => textPart.test(name)) ?? new Map();
  const main = archive?.mainPart ?? "";
  onProgress(0, 0);
  for (const name of archive?.names ?? []) {
    if (/^word\/embeddings\/(?!Microsoft_(Office_)?Excel_)/i.test(name))
      warnings.add("ATTACHMENTS_LEFT_OUT", name.replace(/^.*\//, ""));
  }
  const checked: Record<string, Uint8Array> = {};
  const styles = readXml(parts, "word/styles.xml") ?? "";
  const numbering = readXml(parts, "word/numbering.xml") ?? "";
  const edges: Record<"header" | "footer", string[]> = { header: [], footer: [] };
  for (const [name, content] of parts) {
    const xml = readXml(parts, name);
    const deleted = countDeletedRuns(xml ?? "");
    if (deleted > 0) warnings.add("DELETED_TEXT", "", deleted);
    const text = withoutHiddenRuns(withoutWrappers(xml ?? ""), () => warnings.add("HIDDEN_TEXT"));
    const shown = withLinearEquations(name === main ? withNumbers(text, numbering, styles) : text);
    const [, edge] = /^word\/(header|footer)\d*\.xml$/i.exec(name) ?? [];
    if (edge) edges[edge.toLowerCase() as "header" | "footer"].push(shown);
    checked[name] = xml === null ? content : strToU8(shown);
  }
  const styleMap = headingStyles(styles);
  const readEdge = async (texts: readonly string[]): Promise<Block[]> => {
    const document = joinEdges(texts);
    if (document === null) return [];
    return convert({ ...checked, [main]: strToU8(document) }, styleMap, warnings).catch(() => {
      warnings.add("UNREADABLE_PAGES", "page header or footer");
      return [];
    });
  };
  const body = await convert(checked, styleMap, warnings);
  const [header, footer] = [await readEdge(edges.header), await readEdge(edges.footer)];
  return { title: archive?.title ?? null, blocks: [...header, ...body, ...footer] };
}

/** Passes mammoth a new archive that contains only the checked parts, so that it cannot unpack anything else. */
async function convert(parts: Record<string, Uint8Array>, styleMap: string[], warnings: Warnings): Promise<Block[]> {
  const buffer = Buffer.from(zipSync(parts, { level: 0 }));
  const options = {
    convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
    externalFileAccess: false,
    includeEmbeddedStyleMap: false,
    styleMap,
  };
  const { value: html, messages } = await mammoth.convertToHtml({ buffer }, options);
  const symbols = messages.filter(({ message }) => message.includes("w:sym element")).length;
  if (symbols > 0) warnings.add("UNREADABLE_CHARACTERS", "", symbols);
  return extractHtml(`<main>${html}</main>`).blocks;
}
