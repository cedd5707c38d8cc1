import { ExtractionError } from "./extraction-error.ts";
import { type Archive, decodeXml } from "./read-zip.ts";
import { createWalker, localName, type Walk } from "./walk-xml.ts";

/** Opens the parts with text. @throws ExtractionError `ENCRYPTED` when the file has a password */
export function openText(archive: Archive | null): Walk {
  const parts: Map<string, Uint8Array> = archive?.unpack((name) => textPart.test(name)) ?? new Map();
  const manifest = decodeXml(parts.get("META-INF/manifest.xml") ?? new Uint8Array());
  parts.delete("META-INF/manifest.xml");
  if (/<(?:\w+:)?encryption-data\b/.test(manifest))
    throw new ExtractionError("ENCRYPTED", "The file is password-protected. Remove the password and upload it again.");
  return createWalker(parts);
}

/** The parts with text, and those of the charts and formulas in it. */
const textPart = /^(content|styles|meta)\.xml$|^META-INF\/manifest\.xml$|^[^/]{1,100}\/content\.xml$/;

/** What the styles of an OpenDocument file do to text, rows, columns and sheets. */
type Effects = { isHidden: boolean; isStruck: boolean | null; isRaised: boolean; parent: string };

const none: Effects = { isHidden: false, isStruck: null, isRaised: false, parent: "" };

/** Reads the styles by name. */
export function readStyles(walk: Walk): (name: string | undefined) => Effects {
  const styles = new Map<string, Effects>();
  for (const part of ["styles.xml", "content.xml"]) {
    let current: Effects | null = null;
    walk(part, {
      open({ name, attributes }) {
        const tag = localName(name);
        if (tag === "style") {
          current = { ...none, parent: attributes["style:parent-style-name"] ?? "" };
          styles.set(attributes["style:name"] ?? "", current);
        }
        if (!current) return;
        if (tag === "text-properties") {
          if (attributes["text:display"] === "none") current.isHidden = true;
          const lines = ["style", "type"].flatMap((key) => attributes[`style:text-line-through-${key}`] ?? []);
          if (lines.length > 0) current.isStruck = !lines.includes("none");
          if (/^(super|[1-9])/.test(attributes["style:text-position"] ?? "")) current.isRaised = true;
        }
        if (tag === "table-properties" && attributes["table:display"] === "false") current.isHidden = true;
      },
      close(name) {
        if (localName(name) === "style") current = null;
      },
    });
  }
  return (name) => {
    const style = styles.get(name ?? "") ?? none;
    let { isStruck, parent } = style;
    for (let depth = 0; isStruck === null && parent !== "" && depth < 20; depth++) {
      const above = styles.get(parent) ?? none;
      [isStruck, parent] = [above.isStruck, above.parent];
    }
    return { ...style, isStruck };
  };
}

/** The number style of each level of the list styles that number their items, by name and level. */
export function readListStyles(walk: Walk): (name: string, level: number) => { type: string; start: number } | null {
  const levels = new Map<string, { type: string; start: number }>();
  for (const part of ["styles.xml", "content.xml"]) {
    let style = "";
    walk(part, {
      open({ name, attributes }) {
        const tag = localName(name);
        if (tag === "list-style") style = attributes["style:name"] ?? "";
        const type = attributes["style:num-format"] ?? "";
        if (tag !== "list-level-style-number" || !/^[1aAiI]$/.test(type)) return;
        levels.set(`${attributes["text:level"]} ${style}`, {
          type,
          start: Number(attributes["text:start-value"] ?? 1),
        });
      },
    });
  }
  return (name, level) => levels.get(`${level} ${name}`) ?? null;
}

/** Finds the title in the metadata. */
export function readTitle(walk: Walk): string | null {
  let title = "";
  walk("meta.xml", {
    text(value, name) {
      if (name === "title" && title.length < 500) title += value;
    },
  });
  return title.trim().slice(0, 500) || null;
}

/** White space that elements stand for, or null. */
export function readSpace(tag: string, attributes: Record<string, string>): string | null {
  if (tag === "s") return " ".repeat(Math.min(Number(attributes["text:c"] ?? 1) || 1, 100));
  if (tag === "tab") return " ";
  return tag === "line-break" ? "\n" : null;
}
