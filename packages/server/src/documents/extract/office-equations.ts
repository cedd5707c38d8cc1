import { parseDocument } from "htmlparser2";
import { escapeHtml } from "../../escape-html.ts";

/**
 * Replaces the equations of Office files with a line of text: `(a+b)/c`, `x^2`. An equation in a paragraph of its own has
 * another element around it, which readers would drop with its content.
 */
export function withLinearEquations(xml: string): string {
  if (!xml.includes("<m:oMath")) return xml;
  return xml
    .replace(/<m:oMathParaPr>[\s\S]*?<\/m:oMathParaPr>|<\/?m:oMathPara(?: [^<>]*)?>/g, "")
    .replace(/<m:oMath(?: [^<>]*)?>[\s\S]*?<\/m:oMath>/g, (equation) => {
      const text = linearize(parseDocument(equation, { xmlMode: true }) as XmlNode).trim();
      return `<w:r><w:t xml:space="preserve"> ${escapeHtml(text)} </w:t></w:r>`;
    });
}

type XmlNode = { name?: string; data?: string; children?: XmlNode[] };

function linearize(node: XmlNode): string {
  const children = node.children ?? [];
  const tag = bareName(node.name ?? "");
  const part = (name: string) =>
    children
      .filter((child) => bareName(child.name ?? "") === name)
      .map(linearize)
      .join("");
  const group = (text: string) => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);
  const limit = (sign: string, text: string) => (text === "" ? "" : `${sign}${group(text)}`);
  if (tag === "t") return children.map(({ data = "" }) => data).join("");
  if (tag === "f") return `${group(part("num"))}/${group(part("den"))}`;
  if (tag === "sSup") return `${group(part("e"))}^${group(part("sup"))}`;
  if (tag === "sSub") return `${group(part("e"))}_${group(part("sub"))}`;
  if (tag === "sSubSup") return `${group(part("e"))}_${group(part("sub"))}^${group(part("sup"))}`;
  if (tag === "sPre") return `_${group(part("sub"))}^${group(part("sup"))} ${part("e")}`;
  if (tag === "nary") return `${part("naryPr")}${limit("_", part("sub"))}${limit("^", part("sup"))} ${part("e")}`;
  if (tag === "limLow" || tag === "limUpp") return `${part("e")}${limit(tag === "limLow" ? "_" : "^", part("lim"))}`;
  if (tag === "func") return `${part("fName")} ${group(part("e"))}`;
  if (tag === "rad") return `${part("deg")}√${group(part("e"))}`;
  if (tag === "d")
    return `(${children
      .filter((child) => bareName(child.name ?? "") === "e")
      .map(linearize)
      .join(", ")})`;
  if (tag === "mr") return `${children.map(linearize).join(" ")}; `;
  if (tag.endsWith("Pr") && tag !== "Pr") return operatorOf(node);
  return children.map(linearize).join("");
}

/** The sign of a sum or integral, from its properties. */
function operatorOf(node: XmlNode): string {
  if (bareName(node.name ?? "") !== "naryPr") return "";
  const sign = (node.children ?? []).find((child) => bareName(child.name ?? "") === "chr") as
    | { attribs?: Record<string, string> }
    | undefined;
  return sign?.attribs?.["m:val"] ?? "∫";
}

const bareName = (name: string) => name.slice(name.indexOf(":") + 1);
