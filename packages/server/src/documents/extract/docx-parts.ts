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
 * characters (ruby). Mammoth ignores these elements with their content. Text that only asks for an entry is left out.
 */
export const withoutWrappers = (xml: string): string =>
  xml
    .replace(/<w:(smartTag|customXml)Pr\b[^<>]*?(?:\/>|>[\s\S]*?<\/w:\1Pr>)/g, "")
    .replace(/<w:rt>[\s\S]*?<\/w:rt>|<w:rubyPr>[\s\S]*?<\/w:rubyPr>/g, "")
    .replace(rubyRun, "$1")
    .replace(/<w:ptab\b[^<>]*>/g, "<w:tab/>")
    .replace(/<w:dstrike\b/g, "<w:strike")
    .replace(placeholder, (control) => control.replace(/<w:t(?: [^<>]*)?>[^<]*<\/w:t>/g, ""))
    .replace(dropDown, (field, list: string) => `${field}<w:t>${chosenEntry(list)}</w:t>`)
    .replace(macroButton, '<w:t xml:space="preserve">$1</w:t>')
    .replace(/<\/?w:(?:smartTag|customXml|fldSimple|bdo|dir)(?: [^<>]*)?>/g, "");

/** A content control that shows its placeholder, because nothing was entered. */
const placeholder =
  /<w:sdtPr>(?:(?!<\/w:sdtPr>)[\s\S]){0,5000}?<w:showingPlcHdr(?: w:val="(?:1|true|on)")?\s*\/>[\s\S]*?<\/w:sdtContent>/g;

/** The field of a list from which the author of a form chose an entry. */
const dropDown =
  /<w:ddList>((?:(?!<\/w:ddList>)[\s\S]){0,20000})<\/w:ddList>(?:(?!<\/w:fldChar>)[\s\S])*<\/w:fldChar>/g;

function chosenEntry(list: string): string {
  const entries = [...list.matchAll(/<w:listEntry w:val="([^"]*)"/g)].map(([, entry = ""]) => entry);
  const [, chosen = "0"] = /<w:result w:val="(\d+)"/.exec(list) ?? /<w:default w:val="(\d+)"/.exec(list) ?? [];
  return entries[Number(chosen)] ?? "";
}

/** Marks the place of a chart or diagram by the id of its relationship, because mammoth knows pictures only. */
export const withGraphicMarks = (xml: string): string =>
  // A drawing can be a text box that contains further drawings.
  xml.replace(/<w:drawing\b(?:(?!<w:drawing\b)[\s\S])*?<\/w:drawing>/g, (drawing) => {
    const [, id] =
      /<c:chart\b[^<>]*\sr:id="([^"]{1,100})"|<dgm:relIds\b[^<>]*\sr:dm="([^"]{1,100})"/
        .exec(drawing)
        ?.filter((found) => found !== undefined) ?? [];
    return id === undefined ? drawing : `<w:t>${GRAPHIC}${id}${GRAPHIC}</w:t>`;
  });

const GRAPHIC = "\uE010";
export const graphicMark = new RegExp(`${GRAPHIC}([^${GRAPHIC}]{1,100})${GRAPHIC}`, "g");

/** The field of a button. Word shows the text after the name of its macro, for example as a placeholder. */
const macroButton = /<w:instrText(?: [^<>]*)?>\s*MACROBUTTON\s+[^\s<>]{1,200}\s([^<>]*)<\/w:instrText>/gi;

/** A run that holds characters with their pronunciation. Its base consists of runs. */
const rubyRun =
  /<w:r(?: [^<>]*)?>(?:\s*<w:rPr>(?:(?!<\/w:rPr>)[\s\S]){0,2000}<\/w:rPr>)?\s*<w:ruby>\s*<w:rubyBase>((?:(?!<\/w:rubyBase>)[\s\S]){0,20000})<\/w:rubyBase>\s*<\/w:ruby>\s*<\/w:r>/g;

/** The number of runs that were deleted while changes were tracked. */
export const countDeletedRuns = (xml: string): number => xml.match(/<w:delText[ >]/g)?.length ?? 0;

type Style = { name: string; type: string; parent: string; level: number | null; isStruck: boolean | null };

/**
 * Style mappings for mammoth, for the styles that are based on a heading or have an outline level, and for those that
 * strike text out.
 */
export function styleMappings(stylesXml: string): string[] {
  const styles = new Map<string, Style>();
  for (const [style, type = ""] of stylesXml.matchAll(
    /<w:style\b[^<>]*w:type="(paragraph|character)"[^<>]*>[\s\S]*?<\/w:style>/g,
  )) {
    const find = (pattern: RegExp) => pattern.exec(style)?.[1] ?? "";
    const name = find(/<w:name w:val="([^"]{1,200})"/);
    const outline = find(/<w:outlineLvl w:val="([0-8])"/);
    const [, heading] = /^heading ([1-9])$/i.exec(name) ?? [];
    const level = heading ? Number(heading) : outline === "" ? null : Number(outline) + 1;
    const [strike, value] = /<w:d?strike\b(?: w:val="([^"]*)")?/.exec(style) ?? [];
    const isStruck = strike === undefined ? null : !/^(0|false|off)$/.test(value ?? "");
    styles.set(find(/w:styleId="([^"]{1,200})"/), {
      name,
      type,
      parent: find(/<w:basedOn w:val="([^"]{1,200})"/),
      level: type === "paragraph" ? level : null,
      isStruck,
    });
  }
  return [...styles].flatMap(([id, { name, type }]) => {
    if (/^heading [1-6]$/i.test(name)) return [];
    const level = findInherited(styles, id, "level");
    const selector = `${type === "paragraph" ? "p" : "r"}[style-name='${name.replace(/['\\]/g, "\\$&")}']`;
    if (level !== null) return [`${selector} => h${Math.min(6, level)}:fresh`];
    if (!findInherited(styles, id, "isStruck")) return [];
    return [`${selector} => ${type === "paragraph" ? "p:fresh > s:fresh" : "s"}`];
  });
}

function findInherited<Key extends "level" | "isStruck">(
  styles: ReadonlyMap<string, Style>,
  id: string,
  key: Key,
): Style[Key] | null {
  let current = styles.get(id);
  for (let depth = 0; current && depth < 20; depth++) {
    if (current[key] !== null) return current[key];
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
