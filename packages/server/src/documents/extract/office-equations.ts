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
      return `<w:r><w:t xml:space="preserve"> ${escapeHtml(linearEquation(equation))} </w:t></w:r>`;
    });
}

/** An equation of an Office file as a line of text. */
export const linearEquation = (xml: string): string =>
  linearize(parseDocument(xml, { xmlMode: true }) as XmlNode).trim();

type XmlNode = { name?: string; data?: string; attribs?: Record<string, string>; children?: XmlNode[] };

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
  if (tag === "nary")
    return `${findSign(node, "chr", "∫")}${limit("_", part("sub"))}${limit("^", part("sup"))} ${part("e")}`;
  if (tag === "limLow" || tag === "limUpp") return `${part("e")}${limit(tag === "limLow" ? "_" : "^", part("lim"))}`;
  if (tag === "func") return `${part("fName")} ${group(part("e"))}`;
  if (tag === "rad") return `${part("deg")}√${group(part("e"))}`;
  if (tag === "d") {
    const parts = children.filter((child) => bareName(child.name ?? "") === "e").map(linearize);
    return findSign(node, "begChr", "(") + parts.join(findSign(node, "sepChr", ", ")) + findSign(node, "endChr", ")");
  }
  if (tag === "mr") return `${children.map(linearize).join(" ")}; `;
  if (tag.endsWith("Pr")) return "";
  return children.map(linearize).join("");
}

/** A sign such as that of a sum or a bracket, which is an attribute or, in RTF files, a text of the properties. */
function findSign({ children = [] }: XmlNode, name: string, usual: string): string {
  const properties = children.find((child) => child.name?.endsWith("Pr"))?.children ?? [];
  const sign = properties.find((child) => bareName(child.name ?? "") === name);
  return sign ? (sign.attribs?.["m:val"] ?? (sign.children ?? []).map(linearize).join("")) : usual;
}

const bareName = (name: string) => name.slice(name.indexOf(":") + 1);
