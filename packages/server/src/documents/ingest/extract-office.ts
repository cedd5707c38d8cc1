import { strToU8, zipSync } from "fflate";
import mammoth from "mammoth";
import { extractHtml } from "./extract-html.ts";
import { extractSheets } from "./extract-xlsx.ts";
import type { Extracted, OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { findPart, readXml, readZip } from "./read-zip.ts";

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** The parts that contain text. Images and embedded files are never unpacked. */
const textPart =
  /^(\[Content_Types\]\.xml|_rels\/.*|(word|xl)\/[^/]+\.xml|(word|xl)\/_rels\/.*|xl\/worksheets\/[^/]+\.xml|docProps\/core\.xml)$/i;
const otherFormats: ReadonlyArray<readonly [part: RegExp, format: string]> = [
  [/^ppt\//, "PowerPoint files are"],
  [/^mimetype$/, "OpenDocument files and e-books are"],
  [/^META-INF\//, "Java archives are"],
];

/** Reads a DOCX or XLSX file. Both are archives of XML parts. */
export async function extractOffice(bytes: Uint8Array, onProgress: OnProgress): Promise<Extracted> {
  const names: string[] = [];
  const parts = readZip(bytes, (name) => {
    if (names.length < 1_000) names.push(name);
    return textPart.test(name);
  });
  onProgress(0, 0);
  const title = findTitle(readXml(parts, "docProps/core.xml"));
  const main = findMainPart(parts);
  if (main && /^word\//i.test(main)) return { mimeType: DOCX, title, blocks: await extractDocxBlocks(parts) };
  if (main && /^xl\//i.test(main)) return { mimeType: XLSX, title, blocks: extractSheets(parts, main, onProgress) };
  const other = otherFormats.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1];
  throw new ExtractionError(
    "NOT_SUPPORTED",
    `${other ?? "ZIP archives are"} not supported. Upload the text as PDF, DOCX, XLSX, CSV, HTML, Markdown or plain text.`,
  );
}

/** The part with the text, which the relationships of the package name: Word for the web writes `document2.xml`. */
function findMainPart(parts: ReadonlyMap<string, Uint8Array>): string | null {
  const relationships = readXml(parts, findPart(parts, "_rels/.rels") ?? "") ?? "";
  const [relationship = ""] = /<[^<>]{0,2000}\/officeDocument"[^<>]{0,2000}>/.exec(relationships) ?? [];
  const [, target = ""] = /\bTarget="\/?([^"]{1,500})"/.exec(relationship) ?? [];
  return findPart(parts, target) ?? findPart(parts, "word/document.xml") ?? findPart(parts, "xl/workbook.xml");
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

function findTitle(xml: string | null): string | null {
  const [, title = ""] = /<dc:title>([^<]{1,1000})<\/dc:title>/.exec(xml ?? "") ?? [];
  const decoded = title.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? "").trim();
  return decoded.slice(0, 500) || null;
}

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
