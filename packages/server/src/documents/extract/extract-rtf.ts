import { escapeHtml } from "../../escape-html.ts";
import { extractHtml } from "./extract-html.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { linearEquation } from "./office-equations.ts";

/** Groups whose text is not part of the document, besides those that are marked as optional. */
const unreadGroups = new Set(
  "fonttbl colortbl stylesheet info pict themedata colorschememapping datastore listtable listoverridetable rsidtbl generator xmlnstbl latentstyles fldinst revtbl filetbl objdata objclass objname sp xe tc bkmkstart bkmkend annotation atnid atnauthor atrfstart atrfend nonshppict template operator author private ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn pntxta pntxtb".split(
    " ",
  ),
);
/** Optional groups that contain text. */
const readGroups = new Set(["shpinst", "shptxt", "shppict", "moMath", "moMathPara"]);
/** Properties of the parts of equations. */
const equationProperties = /^m[A-Za-z]+Pr$/;
const equationPart = /^m[A-Za-z]+$/;

const characters: Record<string, string> = {
  par: "\n",
  sect: "\n",
  page: "\n",
  column: "\n",
  line: "<br>",
  softline: "<br>",
  tab: " ",
  emdash: "—",
  endash: "–",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
  bullet: "•",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  "~": "\u00a0",
  _: "\u2011",
  "-": "",
  "{": "{",
  "}": "}",
  "\\": "\\",
};

/** Encodings of font character sets and code pages. */
const charsets: Record<number, string> = {
  0: "windows-1252",
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};
const codePages: Record<number, string> = {
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  874: "windows-874",
  10000: "macintosh",
  65001: "utf-8",
};

type State = {
  isSkipped: boolean;
  isHidden: boolean;
  isStruck: boolean;
  isRaised: boolean;
  font: number;
  /** characters that stand for a Unicode character in programs without Unicode */
  fallback: number;
  /** the part of an equation that the group is */
  element: string;
};

const MAX_DEPTH = 2_000;
const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gi;

/** Reads a Rich Text file, which is converted to HTML. */
export function extractRtf({ bytes, onProgress, warnings }: FileInput): FileContent {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const fonts = readFonts(source);
  const output = createOutput();
  const stack: State[] = [];
  let state: State = {
    isSkipped: false,
    isHidden: false,
    isStruck: false,
    isRaised: false,
    font: -1,
    fallback: 1,
    element: "",
  };
  /** the equation that is being read, as in other Office files */
  let equation: string | null = null;
  let defaultEncoding = "windows-1252";
  let isOptional = false;
  let pending: number[] = [];
  let skip = 0;
  let read = 0;

  const flush = () => {
    if (pending.length === 0) return;
    const encoding = fonts.get(state.font) ?? defaultEncoding;
    const text = new TextDecoder(encoding).decode(Uint8Array.from(pending));
    pending = [];
    write(text);
  };
  const write = (text: string) => {
    if (state.isSkipped || text === "") return;
    if (state.isHidden) warnings.add("HIDDEN_TEXT");
    else if (equation !== null) equation += `<m:t>${escapeHtml(text)}</m:t>`;
    else output.text(text, state);
  };

  token.lastIndex = 0;
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [, word, parameter, hex, symbol, brace, text] = match;
    if (++read % 65_536 === 0) onProgress(match.index, source.length);
    if (hex !== undefined) {
      if (skip > 0) skip--;
      else if (!state.isSkipped) pending.push(Number.parseInt(hex, 16));
      continue;
    }
    flush();
    if (brace === "{") {
      if (stack.length > MAX_DEPTH) throw new ExtractionError("DAMAGED", "The file's groups are nested too deeply.");
      stack.push(state);
      state = { ...state, element: "" };
      skip = 0;
    } else if (brace === "}") {
      closeElement();
      state = stack.pop() ?? state;
      skip = 0;
    } else if (symbol === "*") {
      isOptional = true;
      continue;
    } else if (symbol !== undefined) {
      if (symbol === "\n" || symbol === "\r") output.paragraph();
      else write(characters[symbol] ?? "");
    } else if (text !== undefined) {
      const shown = text.slice(skip);
      skip = Math.max(0, skip - text.length);
      write(shown);
    } else if (word === "bin") {
      // As many bytes of a picture follow, in which braces and backslashes mean nothing.
      token.lastIndex += Math.max(0, Number(parameter ?? 0));
    } else if (word !== undefined) {
      control(word, parameter === undefined ? null : Number(parameter));
    }
    isOptional = false;
  }
  flush();
  if (equation !== null) output.text(linearEquation(equation), state);
  return { title: null, blocks: extractHtml(`<main>${output.html()}</main>`).blocks };

  function closeElement(): void {
    if (equation === null || state.element === "") return;
    equation += `</${state.element}>`;
    if (state.element !== "m:oMath") return;
    output.text(` ${linearEquation(equation)} `, state);
    equation = null;
  }

  function control(word: string, value: number | null): void {
    const isOn = value !== 0;
    const isPart = equation === null ? word === "moMath" : state.element === "" && equationPart.test(word);
    if (isPart && !state.isSkipped) {
      state.element = `m:${word.slice(1)}`;
      equation = `${equation ?? ""}<${state.element}>`;
    } else if (unreadGroups.has(word) || equationProperties.test(word) || (isOptional && !readGroups.has(word)))
      state.isSkipped = true;
    else if (word === "u" && value !== null) {
      write(String.fromCharCode(value < 0 ? value + 65_536 : value));
      skip = state.fallback;
    } else if (word === "uc") state.fallback = Math.min(Math.max(value ?? 1, 0), 10);
    else if (word === "ansicpg" && value !== null) defaultEncoding = encodingOf(codePages[value] ?? `windows-${value}`);
    else if (word === "mac") defaultEncoding = "macintosh";
    else if (word === "f") state.font = value ?? -1;
    else if (word === "v") state.isHidden = isOn;
    else if (word === "deleted") {
      if (isOn && !state.isSkipped) warnings.add("DELETED_TEXT");
      state.isSkipped ||= isOn;
    } else if (word === "strike" || word === "striked") state.isStruck = isOn;
    else if (word === "super") state.isRaised = isOn;
    else if (word === "nosupersub") state.isRaised = false;
    else if (word === "plain") state = { ...state, isHidden: false, isStruck: false, isRaised: false };
    else if (state.isSkipped) return;
    else if (word === "par" || word === "sect" || word === "page") output.paragraph();
    else if (word === "footnote") output.text(" ", state);
    else if (word === "pard") output.resetParagraph();
    else if (word === "intbl") output.setInTable();
    else if (word === "cell" || word === "nestcell") output.cell();
    else if (word === "row" || word === "nestrow") output.row();
    else if (word === "outlinelevel" && value !== null) output.setLevel(value);
    else if (word === "line" || word === "softline") output.text("\n", state);
    else write(characters[word] ?? "");
  }
}

function encodingOf(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return "windows-1252";
  }
}

/** The encodings of the fonts that name a character set. */
function readFonts(source: string): Map<number, string> {
  const fonts = new Map<number, string>();
  const start = source.indexOf("{\\fonttbl");
  if (start === -1) return fonts;
  for (const [, font, charset] of source
    .slice(start, start + 200_000)
    .matchAll(/\\f(\d{1,6})(?:\\(?!f\d)[a-z*]+-?\d*\s?){0,6}?\\fcharset(\d{1,3})/g)) {
    const encoding = charsets[Number(charset)];
    if (encoding !== undefined && charset !== "0" && !fonts.has(Number(font))) fonts.set(Number(font), encoding);
  }
  return fonts;
}

/** Builds the HTML of the document from its paragraphs and table cells. */
function createOutput() {
  const parts: string[] = [];
  let paragraph = "";
  let cells: string[] = [];
  let level: number | null = null;
  let isInTable = false;
  let isTableOpen = false;

  const closeTable = () => {
    if (isTableOpen) parts.push("</table>");
    isTableOpen = false;
  };

  return {
    text(text: string, { isStruck, isRaised }: State): void {
      const escaped = escapeHtml(text).replaceAll("\n", "<br>");
      const marked = isStruck ? `<s>${escaped}</s>` : escaped;
      paragraph += isRaised ? `<sup>${marked}</sup>` : marked;
    },
    paragraph(): void {
      if (isInTable) {
        paragraph += "<br>";
        return;
      }
      closeTable();
      const tag = level === null ? "p" : `h${Math.min(6, level + 1)}`;
      parts.push(`<${tag}>${paragraph}</${tag}>`);
      paragraph = "";
    },
    resetParagraph(): void {
      isInTable = false;
      level = null;
    },
    setInTable(): void {
      isInTable = true;
    },
    setLevel(value: number): void {
      level = value >= 0 && value < 9 ? value : null;
    },
    cell(): void {
      cells.push(`<td>${paragraph}</td>`);
      paragraph = "";
    },
    row(): void {
      if (!isTableOpen) parts.push("<table>");
      isTableOpen = true;
      parts.push(`<tr>${cells.join("")}</tr>`);
      cells = [];
    },
    html(): string {
      if (cells.length > 0) this.row();
      closeTable();
      return `${parts.join("")}<p>${paragraph}</p>`;
    },
  };
}
