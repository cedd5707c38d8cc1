import { parseDocument } from "htmlparser2";
import { localName } from "./walk-xml.ts";

/** Runs that the author hid. */
const hiddenRun =
  /<w:r(?: [^<>]*)?>\s*<w:rPr>(?:(?!<\/w:rPr>)[\s\S]){0,2000}?<w:vanish(?: w:val="(?:1|true|on)")?\s*\/>[\s\S]*?<\/w:r>/g;

export function withoutHiddenRuns(xml: string, onHidden: () => void): string {
  return xml.replace(hiddenRun, (run) => {
    if (/<w:t[ >]/.test(run)) onHidden();
    return "";
  });
}

/**
 * Removes the elements of smart tags, custom XML, fields, and directions of text around runs, and the pronunciation of
 * characters (ruby). Mammoth ignores these elements with their content.
 */
export const withoutWrappers = (xml: string): string =>
  xml
    .replace(/<w:(smartTag|customXml)Pr\b[^<>]*?(?:\/>|>[\s\S]*?<\/w:\1Pr>)/g, "")
    .replace(/<w:rt>[\s\S]*?<\/w:rt>|<w:rubyPr>[\s\S]*?<\/w:rubyPr>/g, "")
    .replace(rubyRun, "$1")
    .replace(/<w:ptab\b[^<>]*>/g, "<w:tab/>")
    .replace(macroButton, '<w:t xml:space="preserve">$1</w:t>')
    .replace(/<\/?w:(?:smartTag|customXml|fldSimple|bdo|dir)(?: [^<>]*)?>/g, "");

/** The field of a button. Word shows the text after the name of its macro, for example as a placeholder. */
const macroButton = /<w:instrText(?: [^<>]*)?>\s*MACROBUTTON\s+[^\s<>]{1,200}\s([^<>]*)<\/w:instrText>/gi;

/** A run that holds characters with their pronunciation. Its base consists of runs. */
const rubyRun =
  /<w:r(?: [^<>]*)?>(?:\s*<w:rPr>(?:(?!<\/w:rPr>)[\s\S]){0,2000}<\/w:rPr>)?\s*<w:ruby>\s*<w:rubyBase>((?:(?!<\/w:rubyBase>)[\s\S]){0,20000})<\/w:rubyBase>\s*<\/w:ruby>\s*<\/w:r>/g;

/** The number of runs that were deleted while changes were tracked. */
export const countDeletedRuns = (xml: string): number => xml.match(/<w:delText[ >]/g)?.length ?? 0;

/** Replaces equations, which mammoth ignores, with a line of text: `(a+b)/c`, `x^2`. */
export function withLinearEquations(xml: string): string {
  if (!xml.includes("<m:oMath")) return xml;
  return xml.replace(/<m:oMath(?: [^<>]*)?>[\s\S]*?<\/m:oMath>/g, (equation) => {
    const text = linearize(parseDocument(equation, { xmlMode: true }) as XmlNode).trim();
    const escaped = text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
    return `<w:r><w:t xml:space="preserve"> ${escaped} </w:t></w:r>`;
  });
}

type XmlNode = { name?: string; data?: string; children?: XmlNode[] };

function linearize(node: XmlNode): string {
  const children = node.children ?? [];
  const tag = localName(node.name ?? "");
  const part = (name: string) =>
    children
      .filter((child) => localName(child.name ?? "") === name)
      .map(linearize)
      .join("");
  const group = (text: string) => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);
  if (tag === "t") return children.map(({ data = "" }) => data).join("");
  if (tag === "f") return `${group(part("num"))}/${group(part("den"))}`;
  if (tag === "sSup") return `${group(part("e"))}^${group(part("sup"))}`;
  if (tag === "sSub") return `${group(part("e"))}_${group(part("sub"))}`;
  if (tag === "sSubSup") return `${group(part("e"))}_${group(part("sub"))}^${group(part("sup"))}`;
  if (tag === "rad") return `${part("deg")}√${group(part("e"))}`;
  if (tag === "d")
    return `(${children
      .filter((child) => localName(child.name ?? "") === "e")
      .map(linearize)
      .join(", ")})`;
  if (tag === "mr") return `${children.map(linearize).join(" ")}; `;
  if (tag.endsWith("Pr") && tag !== "Pr") return operatorOf(node);
  return children.map(linearize).join("");
}

/** The sign of a sum or integral, from its properties. */
function operatorOf(node: XmlNode): string {
  if (localName(node.name ?? "") !== "naryPr") return "";
  const sign = (node.children ?? []).find((child) => localName(child.name ?? "") === "chr") as
    | { attribs?: Record<string, string> }
    | undefined;
  return sign?.attribs?.["m:val"] ?? "∫";
}

/** Style mappings for mammoth, for the styles that are based on a heading or have an outline level. */
export function headingStyles(stylesXml: string): string[] {
  const styles = new Map<string, { name: string; parent: string; level: number | null }>();
  for (const [style] of stylesXml.matchAll(/<w:style\b[^<>]*w:type="paragraph"[^<>]*>[\s\S]*?<\/w:style>/g)) {
    const find = (pattern: RegExp) => pattern.exec(style)?.[1] ?? "";
    const name = find(/<w:name w:val="([^"]{1,200})"/);
    const outline = find(/<w:outlineLvl w:val="([0-8])"/);
    const [, heading] = /^heading ([1-9])$/i.exec(name) ?? [];
    const level = heading ? Number(heading) : outline === "" ? null : Number(outline) + 1;
    styles.set(find(/w:styleId="([^"]{1,200})"/), { name, parent: find(/<w:basedOn w:val="([^"]{1,200})"/), level });
  }
  return [...styles].flatMap(([id, { name }]) => {
    if (/^heading [1-6]$/i.test(name)) return [];
    const level = findLevel(styles, id);
    return level === null ? [] : [`p[style-name='${name.replace(/['\\]/g, "\\$&")}'] => h${Math.min(6, level)}:fresh`];
  });
}

function findLevel(styles: ReadonlyMap<string, { parent: string; level: number | null }>, id: string): number | null {
  let current = styles.get(id);
  for (let depth = 0; current && depth < 20; depth++) {
    if (current.level !== null) return current.level;
    current = styles.get(current.parent);
  }
  return null;
}

/** A document that consists of page headers or footers, without repetitions. Null when they have no text. */
export function joinEdges(edges: readonly string[]): string | null {
  const contents = new Map<string, string>();
  let namespaces = "";
  for (const edge of edges) {
    const [, root = "", content = ""] = /<w:(?:hdr|ftr)\b([^<>]*)>([\s\S]*)<\/w:(?:hdr|ftr)>/.exec(edge) ?? [];
    // References to pictures and links belong to the part that they come from.
    const bare = content
      .replace(/<(a:blip|v:imagedata)\b[^<>]*\/>|<a:blip\b[^<>]*>[\s\S]*?<\/a:blip>/g, "")
      .replace(/<w:hyperlink\b[^<>]*>|<\/w:hyperlink>/g, "");
    const text = bare
      .replace(/<w:instrText[\s\S]*?<\/w:instrText>/g, "")
      .replace(/<[^<>]*>/g, "")
      .trim();
    if (root.length > namespaces.length) namespaces = root;
    if (/\p{L}|\d{3}/u.test(text)) contents.set(text, bare);
  }
  if (contents.size === 0) return null;
  return `<?xml version="1.0"?><w:document${namespaces}><w:body>${[...contents.values()].join("")}</w:body></w:document>`;
}
