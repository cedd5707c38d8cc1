/** A block of Markdown. Its `text` is parsed by inline.ts. */
export type Block =
  | { type: "paragraph"; text: string }
  | { type: "heading"; level: number; text: string }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; children: Block[] }
  | { type: "list"; start: number | null; items: Block[][] }
  | { type: "table"; align: Align[]; head: string[]; rows: string[][] }
  | { type: "rule" };

type Align = "start" | "center" | "end" | null;

const rule = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const quote = /^ {0,3}> ?/;
const item = /^( {0,3})([-*+•]|(\d{1,9})[.)])(?:\s+|$)/;
/** The maximum length of a line that is read as a block marker. */
const MAX_MARKER_LENGTH = 1_000;
const MAX_DEPTH = 6;

/**
 * Splits a text at positions where a block ends regardless of what follows, so that finished blocks stay unchanged
 * while more text streams in. The joined parts are the text without the empty lines between them.
 */
export function splitBlocks(text: string): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let fenceEnd = null as RegExp | null;
  let isList = false;
  let sawBlank = false;
  const finish = () => {
    while (part.at(-1)?.trim() === "") part.pop();
    if (part.length > 0) parts.push(part.join("\n"));
    part = [];
  };
  for (const line of text.split(/\r\n?|\n/)) {
    if (fenceEnd) {
      part.push(line);
      if (fenceEnd.test(line)) fenceEnd = null;
      continue;
    }
    if (line.trim() === "") {
      sawBlank = true;
      part.push(line);
      continue;
    }
    // A list continues after an empty line with the next item or with an indented line.
    if (sawBlank && !(isList && (item.test(line) || /^\s{2,}/.test(line)))) finish();
    if (part.length === 0) isList = item.test(line) && !rule.test(line);
    sawBlank = false;
    fenceEnd = readFence(line)?.end ?? null;
    part.push(line);
  }
  finish();
  return parts;
}

/** Parses the block structure of Markdown: headings, lists, tables, quotes and code. Everything else is a paragraph. */
export function parseBlocks(text: string): Block[] {
  return read(text.split("\n"), 0);
}

function read(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const finish = () => {
    if (paragraph.length > 0) blocks.push({ type: "paragraph", text: paragraph.join("\n").trim() });
    paragraph = [];
  };

  /** Returns the block that starts at a line and its number of lines, which is 0 if none starts there. */
  const startsBlock = (at: number): [Block | null, number] => {
    const line = lines[at] ?? "";
    const opening = readFence(line);
    if (opening) return readCode(lines, at, opening);
    const heading = readHeading(line);
    if (heading) return [heading, 1];
    if (rule.test(line)) return [{ type: "rule" }, 1];
    if (quote.test(line)) {
      const end = lines.findIndex((one, index) => index > at && !quote.test(one));
      const inside = lines.slice(at, end < 0 ? lines.length : end).map((one) => one.replace(quote, ""));
      return [{ type: "quote", children: read(inside, depth + 1) }, inside.length];
    }
    const table = line.includes("|") ? readTable(lines, at) : null;
    if (table) return table;
    const [, , , number] = item.exec(line) ?? [];
    // Within a paragraph, only a list that starts at 1 is recognized, because "born in\n1999. …" is not a list.
    const isItem = item.test(line) && !(paragraph.length > 0 && number !== undefined && number !== "1");
    return isItem ? readList(lines, at, depth) : [null, 0];
  };

  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const [block, used] = depth > MAX_DEPTH ? [null, 0] : startsBlock(at);
    if (used > 0) {
      finish();
      if (block) blocks.push(block);
      at += used;
      continue;
    }
    if (line.trim() === "") finish();
    else paragraph.push(line.trimStart());
    at += 1;
  }
  finish();
  return blocks;
}

type Fence = { language: string; indent: number; end: RegExp };

function readFence(line: string): Fence | null {
  const [whole = "", ticks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
  const rest = line.slice(whole.length);
  if (!ticks || rest.includes("`")) return null;
  const language = rest.trim().split(/\s/, 1)[0] ?? "";
  return {
    language,
    indent: whole.length - ticks.length,
    end: new RegExp(`^ {0,3}${ticks[0]}{${ticks.length},}\\s*$`),
  };
}

function readHeading(line: string): Block | null {
  const [whole = "", marks] = /^ {0,3}(#{1,6})(?=\s|$)/.exec(line) ?? [];
  if (!marks) return null;
  return {
    type: "heading",
    level: marks.length,
    text: line
      .slice(whole.length)
      .trim()
      .replace(/(^|\s)#+$/, "")
      .trimEnd(),
  };
}

function readCode(lines: readonly string[], at: number, { language, indent, end }: Fence): [Block, number] {
  const last = lines.findIndex((line, index) => index > at && end.test(line));
  const inside = lines.slice(at + 1, last < 0 ? lines.length : last);
  const text = inside.map((line) => (indent > 0 ? removeIndent(line, indent) : line)).join("\n");
  return [{ type: "code", language, text }, (last < 0 ? lines.length : last + 1) - at];
}

function readList(lines: readonly string[], first: number, depth: number): [Block, number] {
  const [, , , number] = item.exec(lines[first] ?? "") ?? [];
  const isOrdered = number !== undefined;
  const items: string[][] = [];
  /** The columns before the content of the item, which its further lines are indented by. */
  let indent = 0;
  /** What ends the code that the item has begun. */
  let fenceEnd = null as RegExp | null;
  let fenceIndent = 0;
  let at = first;
  const add = (line: string, text: string) => {
    items.at(-1)?.push(text);
    fenceEnd = readFence(text)?.end ?? null;
    fenceIndent = line.length - text.length;
  };
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const found = item.exec(line);
    const belongs = found && (found[3] !== undefined) === isOrdered && !rule.test(line);
    const content = items.at(-1);
    const end = fenceEnd;
    if (end && content) {
      content.push(removeIndent(line, fenceIndent));
      if (end.test(line.trimStart())) fenceEnd = null;
    } else if (belongs) {
      const text = line.slice(found[0].length);
      // An item that begins with an empty line or with indented code is indented by its mark and one space.
      const mark = `${found[1]}${found[2]} `.length;
      indent = text === "" || found[0].length > mark + 4 ? mark : found[0].length;
      items.push([]);
      add(line, text);
    } else if (!content || (line.trim() !== "" && !/^\s{2,}/.test(line) && (found || startsOther(line)))) break;
    else if (line.trim() !== "" && !/^\s/.test(line) && content.at(-1)?.trim() === "") break;
    else add(line, removeIndent(line, indent));
  }
  const children = items.map((content) => read(content, depth + 1));
  return [{ type: "list", start: isOrdered ? Number(number) : null, items: children }, at - first];
}

const removeIndent = (line: string, columns: number) => line.replace(new RegExp(`^(?:\\t| {0,${columns}})`), "");

function startsOther(line: string) {
  return readFence(line) !== null || readHeading(line) !== null || rule.test(line) || quote.test(line);
}

function readTable(lines: readonly string[], at: number): [Block, number] | null {
  const marks = parseDelimiters(lines[at + 1] ?? "");
  const head = marks ? splitCells(lines[at] ?? "") : [];
  if (!marks || head.length !== marks.length) return null;
  const align = marks.map((mark): Align => {
    if (/^:-+:$/.test(mark)) return "center";
    return mark.endsWith(":") ? "end" : mark.startsWith(":") ? "start" : null;
  });
  let end = at + 2;
  while (end < lines.length && lines[end]?.includes("|") && lines[end]?.trim() !== "") end += 1;
  const rows = lines.slice(at + 2, end).map((line) => {
    const row = splitCells(line);
    return head.map((_, column) => row[column] ?? "");
  });
  return [{ type: "table", align, head, rows }, end - at];
}

/** Splits a delimiter row such as `|---|:-:|`. Returns null for any other line. */
function parseDelimiters(line: string): string[] | null {
  if (line.length > MAX_MARKER_LENGTH || !line.includes("-")) return null;
  const marks = splitCells(line);
  return marks.every((mark) => /^:?-+:?$/.test(mark)) ? marks : null;
}

/** Splits a table row at its unescaped bars. */
function splitCells(line: string): string[] {
  const inside = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inside.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}
