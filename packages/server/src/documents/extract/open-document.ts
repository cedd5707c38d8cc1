import { localName, type Walk } from "./walk-xml.ts";

/** What the styles of an OpenDocument file do to text, rows, columns and sheets. */
type Effects = { isHidden: boolean; isStruck: boolean; isRaised: boolean; parent: string };

const none: Effects = { isHidden: false, isStruck: false, isRaised: false, parent: "" };

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
          if (!/^(none)?$/.test(attributes["style:text-line-through-style"] ?? "")) current.isStruck = true;
          if (/^(super|[1-9])/.test(attributes["style:text-position"] ?? "")) current.isRaised = true;
        }
        if (tag === "table-properties" && attributes["table:display"] === "false") current.isHidden = true;
      },
      close(name) {
        if (localName(name) === "style") current = null;
      },
    });
  }
  return (name) => styles.get(name ?? "") ?? none;
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

/** The parts that contain text. */
export const isTextPart = (name: string): boolean => /^(content|styles|meta)\.xml$/.test(name);

/** White space that elements stand for, or null. */
export function readSpace(tag: string, attributes: Record<string, string>): string | null {
  if (tag === "s") return " ".repeat(Math.min(Number(attributes["text:c"] ?? 1) || 1, 100));
  if (tag === "tab") return " ";
  return tag === "line-break" ? "\n" : null;
}
