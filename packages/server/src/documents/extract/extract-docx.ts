import { strToU8, zipSync } from "fflate";
import mammoth from "mammoth";
import { withNumbers } from "./docx-numbering.ts";
import {
  countDeletedRuns,
  graphicMark,
  joinEdges,
  styleMappings,
  withGraphicMarks,
  withoutHiddenRuns,
  withoutWrappers,
} from "./docx-parts.ts";
import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { withLinearEquations } from "./office-equations.ts";
import { readGraphic } from "./read-drawing.ts";
import { findPart, isOfficeText, readXml } from "./read-zip.ts";
import type { Block } from "./split-passages.ts";
import { createWalker, readRelationships } from "./walk-xml.ts";
import type { Warnings } from "./warnings.ts";

/** Reads a DOCX file with its page headers and footers, which are read once. */
export async function extractDocx({ archive, onProgress, warnings }: FileInput): Promise<FileContent> {
  const parts: Map<string, Uint8Array> = archive?.unpack(isOfficeText) ?? new Map();
  const main = archive?.mainPart ?? "";
  onProgress(0, 0);
  for (const name of archive?.names ?? []) {
    if (/(^|\/)embeddings\/(?!Microsoft_(Office_)?Excel_)/i.test(name))
      warnings.add("ATTACHMENTS_LEFT_OUT", name.replace(/^.*\//, ""));
  }
  const walk = createWalker(parts);
  const relationships = readRelationships(walk, main);
  const types = new Map([...relationships.values()].map(({ type, target }) => [findPart(parts, target), type]));
  // Programs that write no relationships use the names that Word gives to parts.
  const typeOf = (name: string) => types.get(name) ?? /([a-z]+)\d*\.xml$/.exec(name)?.[1] ?? "";
  const readPart = (wanted: string) =>
    readXml(parts, [...parts.keys()].find((name) => typeOf(name) === wanted) ?? "") ?? "";
  const checked: Record<string, Uint8Array> = {};
  const styles = readPart("styles");
  const numbering = readPart("numbering");
  const edges: Record<"header" | "footer", string[]> = { header: [], footer: [] };
  for (const [name, content] of parts) {
    const xml = readXml(parts, name);
    const deleted = countDeletedRuns(xml ?? "");
    if (deleted > 0) warnings.add("DELETED_TEXT", "", deleted);
    const text = withoutHiddenRuns(withoutWrappers(xml ?? ""), () => warnings.add("HIDDEN_TEXT"));
    const shown = withLinearEquations(name === main ? withGraphicMarks(withNumbers(text, numbering, styles)) : text);
    const type = typeOf(name);
    if (type === "header" || type === "footer") edges[type].push(shown);
    checked[name] = xml === null ? content : strToU8(shown);
  }
  const styleMap = styleMappings(styles);
  const readGraphics = (html: string) =>
    html.replace(graphicMark, (_, id: string) => readGraphic(walk, relationships.get(id)));
  const readEdge = async (texts: readonly string[]): Promise<Block[]> => {
    const document = joinEdges(texts);
    if (document === null) return [];
    return convert({ ...checked, [main]: strToU8(document) }, styleMap, warnings).then(readBlocks, () => {
      warnings.add("UNREADABLE_PAGES", "page header or footer");
      return [];
    });
  };
  const body = readBlocks(readGraphics(await convert(checked, styleMap, warnings)));
  const [header, footer] = [await readEdge(edges.header), await readEdge(edges.footer)];
  return { title: archive?.title ?? null, blocks: [...header, ...body, ...footer] };
}

const readBlocks = (html: string): Block[] => extractHtml(`<main>${html}</main>`).blocks;

/** Passes mammoth a new archive that contains only the checked parts, so that it cannot unpack anything else. */
async function convert(parts: Record<string, Uint8Array>, styleMap: string[], warnings: Warnings): Promise<string> {
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
  return html;
}
