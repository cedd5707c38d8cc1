import { SaxesParser } from "saxes";
import { OPTIONAL } from "./compare-texts.ts";

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/**
 * The text on the visible slides of a flat OpenDocument presentation (.fodp), and that of the master slides they use,
 * once. The data of charts, and fields such as dates and slide numbers, are optional.
 */
export function readFlatPresentation(xml: string): string {
  const parser = new SaxesParser();
  const path: string[] = [];
  const masters = new Map<string, string>();
  const used = new Set<string>();
  const hiddenStyles = new Set<string>();
  let style = "";
  let master = "";
  let text = "";
  let optional = "";
  let isHidden = false;
  let slide = 0;
  let placeholderDepth = 0;
  const isIn = (tag: string) => path.includes(tag);

  parser.on("opentag", ({ name, attributes }) => {
    const tag = localName(name);
    path.push(tag);
    if (tag === "style") style = attributes["style:name"] ?? "";
    if (tag === "drawing-page-properties" && attributes["presentation:visibility"] === "hidden")
      hiddenStyles.add(style);
    if (tag === "master-page") master = attributes["style:name"] ?? "";
    if (tag === "page" && name === "draw:page") {
      isHidden = hiddenStyles.has(attributes["draw:style-name"] ?? "");
      optional += ` ${++slide} `;
      if (!isHidden) used.add(attributes["draw:master-page-name"] ?? "");
    }
    // Shapes of a master slide that stand for those of the slides.
    if (isIn("master-page") && placeholderDepth === 0 && attributes["presentation:class"] !== undefined)
      placeholderDepth = path.length;
    if (/^(p|tab|s|line-break)$/.test(tag)) add(" ");
  });
  parser.on("text", (value) => {
    if (isIn("p") || isIn("h")) add(value);
  });
  parser.on("closetag", () => {
    if (path.length === placeholderDepth) placeholderDepth = 0;
    path.pop();
  });

  function add(value: string): void {
    if (isIn("notes") || isIn("annotation") || isHidden) return;
    const isField = /^(date|time|page-number|page-count|file-name|author-name)$/.test(path.at(-1) ?? "");
    if (isIn("chart") || (isField && value !== " ")) optional += value;
    else if (isIn("master-page"))
      masters.set(master, (masters.get(master) ?? "") + (placeholderDepth === 0 ? value : ""));
    else if (isIn("page")) text += value;
  }

  parser.write(xml).close();
  const shown = new Set([...masters].filter(([name]) => used.has(name)).map(([, value]) => value));
  return [text, ...shown].join("\n") + (optional === "" ? "" : OPTIONAL + optional);
}
