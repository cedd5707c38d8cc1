import { strToU8, zipSync } from "fflate";
import mammoth from "mammoth";
import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { readXml } from "./read-zip.ts";

/** The parts that contain text. Images and embedded files are never unpacked. */
const textPart = /^(\[Content_Types\]\.xml|_rels\/.*|word\/[^/]+\.xml|word\/_rels\/.*)$/i;

/** Reads a DOCX file. */
export async function extractDocx({ archive, onProgress }: FileInput): Promise<FileContent> {
  const parts = archive?.unpack((name) => textPart.test(name)) ?? new Map();
  onProgress(0, 0);
  return { title: archive?.title ?? null, blocks: await extractDocxBlocks(parts) };
}

/** Removes the runs that the author hid. */
const withoutHiddenRuns = (xml: string) =>
  xml.replace(
    /<w:r(?: [^<>]*)?>\s*<w:rPr>(?:(?!<\/w:rPr>)[\s\S]){0,2000}?<w:vanish(?: w:val="(?:1|true|on)")?\s*\/>[\s\S]*?<\/w:r>/g,
    "",
  );

/** Passes mammoth a new archive that contains only the checked parts, so that it cannot unpack anything else. */
async function extractDocxBlocks(parts: ReadonlyMap<string, Uint8Array>) {
  const checked: Record<string, Uint8Array> = {};
  for (const [name, content] of parts) {
    const xml = readXml(parts, name);
    checked[name] = xml === null ? content : strToU8(withoutHiddenRuns(xml));
  }
  const buffer = Buffer.from(zipSync(checked, { level: 0 }));
  const options = {
    convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
    externalFileAccess: false,
    includeEmbeddedStyleMap: false,
  };
  const { value: html } = await mammoth.convertToHtml({ buffer }, options);
  return extractHtml(`<main>${html}</main>`).blocks;
}
