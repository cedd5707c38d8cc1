import { SaxesParser } from "saxes";

/** What the markup of a file says about its text, as the file's own texts. */
export type Marks = {
  /** the ends of words and numbers with the number of their note, which must not be read as one: "65,5333" */
  notes: string[];
  strikes: string[];
  /** the letters, numbers and signs of equations in their order */
  equations: string[];
  /** titles, categories and names of series */
  charts: string[];
  /** the alternative texts of pictures that are all that a cell shows */
  ticks: string[];
};

export const noMarks = (): Marks => ({ notes: [], strikes: [], equations: [], charts: [], ticks: [] });

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/** Reads the marks in the XML parts of an Office or OpenDocument file. A damaged part has those before the damage. */
export function readMarks(parts: readonly string[]): Marks {
  const marks = noMarks();
  for (const part of parts) readPart(part, marks);
  return marks;
}

function readPart(xml: string, marks: Marks): void {
  const parser = new SaxesParser();
  const path: string[] = [];
  let isStruck = false;
  let equation = "";
  const isIn = (tag: string) => path.includes(tag);
  let isDamaged = false;
  parser.on("error", () => {
    isDamaged = true;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const tag = localName(name);
    path.push(tag);
    if (tag === "r") isStruck = false;
    const isOn = !/^(0|false|off)$/.test(attributes["w:val"] ?? "");
    if (/^d?strike$/.test(tag) && path.at(-3) === "r" && isOn) isStruck = true;
    if (tag === "rPr" && /^(sng|dbl)Strike$/.test(attributes.strike ?? "")) isStruck = true;
    if (tag === "oMath" || tag === "math") equation = "";
  });
  parser.on("text", (value) => {
    const tag = path.at(-1) ?? "";
    if (isDamaged || value.trim() === "") return;
    if (isIn("oMath") || isIn("math")) equation += /^(t|mi|mn|mo|mtext)$/.test(tag) ? value : "";
    else if (isIn("chartSpace")) {
      if (tag === "t" || (tag === "v" && isIn("strCache"))) marks.charts.push(value);
    } else if (tag === "t" && isStruck) marks.strikes.push(value);
  });
  parser.on("closetag", ({ name }) => {
    path.pop();
    if (/^(oMath|math)$/.test(localName(name)) && equation !== "") marks.equations.push(equation);
  });
  parser.write(xml).close();
}

/** Runs in a page and returns its marks. What is beside the content has none. */
export const pageMarks = `(() => {
  const isContent = (part) => part.closest("nav, header, footer, aside, select, script, style, [hidden]") === null;
  const find = (selector) => [...document.querySelectorAll(selector)].filter(isContent);
  const own = (part) => [...part.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("").trim();
  const isStruck = (part) => part.closest("s, del, strike") !== null || getComputedStyle(part).textDecorationLine.includes("line-through");
  const notes = find("sup a[href*='#'], [role=doc-noteref]").flatMap((link) => {
    const number = link.textContent.trim();
    const [before] = /[\\p{L}\\p{N}.,]+$/u.exec((link.closest("sup") ?? link).previousSibling?.textContent ?? "") ?? [];
    return before && /^\\d{1,3}$/.test(number) ? [before + number] : [];
  });
  return {
    notes,
    strikes: find("body *").filter((part) => own(part) !== "" && isStruck(part)).map(own),
    equations: find("math").map((part) => [...part.querySelectorAll("mi, mn, mo, mtext")].map((sign) => sign.textContent).join("")),
    charts: [],
    ticks: find("td img[alt]").filter((picture) => picture.closest("td").innerText.trim() === "").map(({ alt }) => alt.trim()).filter(Boolean),
  };
})()`;

/** The marks that an extraction has otherwise than the file. */
export function findFaults(extracted: string, marks: Marks): Marks {
  const text = squeeze(extracted);
  const struck = [...extracted.matchAll(/~~([\s\S]*?)~~/g)].map(([, found = ""]) => squeeze(found));
  const letters = lettersOf(extracted);
  const words = new Set(squeezeSpaces(extracted).split(" ").map(trimSigns));
  return {
    notes: marks.notes.filter((joined) => words.has(trimSigns(squeezeSpaces(joined)))),
    strikes: marks.strikes.filter(
      (one) => squeeze(one) !== "" && !struck.some((found) => found.includes(squeeze(one))),
    ),
    equations: marks.equations.filter((one) => !letters.includes(lettersOf(one))),
    charts: marks.charts.filter((one) => !text.includes(squeeze(one))),
    ticks: marks.ticks.filter((one) => !text.includes(squeeze(one))),
  };
}

const squeezeSpaces = (text: string) => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
const squeeze = (text: string) => squeezeSpaces(text).replaceAll(" ", "");
const trimSigns = (word: string) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
const lettersOf = (text: string) => text.normalize("NFKC").replace(/[^\p{L}\p{N}]/gu, "");
