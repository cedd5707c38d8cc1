/** A piece of text from pdf.js: its position, its size, and whether a line ends after it. */
export type Item = {
  str: string;
  dir: string;
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
};

/** A part of a line between two wide gaps. `from` and `to` are horizontal positions. */
type Segment = { text: string; from: number; to: number };

export type Line = { segments: Segment[]; text: string; y: number; height: number };

/** Gaps of this many line heights separate words, and segments. */
const WORD_GAP = 0.3;
const RTL_WORD_GAP = 0.12;
const SEGMENT_GAP = 1.5;
/** Superscript characters have at most this share of the line's height, and stand at least this share above it. */
const RAISED_HEIGHT = 0.8;
const RAISED_BY = 0.2;
/** A piece this many line heights above or below is on another line. */
const NEXT_LINE = 0.7;

/** Groups pieces of text into lines, in the order in which the file writes them. */
export function groupIntoLines(items: readonly Item[]): Line[] {
  const lines: Line[] = [];
  let line: Line = emptyLine();
  let isSpaced = false;
  const finish = () => {
    const finished = withText(line);
    if (finished.text !== "") lines.push(finished);
    line = emptyLine();
    isSpaced = false;
  };
  for (const item of items) {
    if (item.str.trim() === "") {
      // pdf.js writes a piece without text for a gap.
      isSpaced = true;
    } else {
      const { from, to, y } = place(item);
      const height = Math.max(item.height, 1);
      if (line.segments.length > 0 && Math.abs(y - line.y) > NEXT_LINE * Math.max(height, line.height)) finish();
      const last = line.segments.at(-1);
      if (!last) line.y = y;
      line.height = Math.max(line.height, item.height);
      // Right-to-left text continues to the left.
      const gap = last ? (from < last.from ? last.from - to : from - last.to) : 0;
      const isRightToLeft = item.dir === "rtl" || (last !== undefined && from < last.from);
      const isApart = isSpaced || Math.abs(gap) > (isRightToLeft ? RTL_WORD_GAP : WORD_GAP) * height;
      const text =
        last && isApart
          ? ` ${item.str}`
          : (last ? raisedMark(last.text, item, { rise: y - line.y, lineHeight: line.height }) : "") + item.str;
      if (last && Math.abs(gap) <= SEGMENT_GAP * height) {
        last.text += text;
        last.from = Math.min(last.from, from);
        last.to = Math.max(last.to, to);
      } else {
        line.segments.push({ text, from, to });
      }
      isSpaced = false;
    }
    if (item.hasEOL) finish();
  }
  finish();
  return lines;
}

/** What stands before superscript digits: in a price they are the cents, after punctuation a note, else an exponent. */
function raisedMark(
  before: string,
  { str, height }: Item,
  { rise, lineHeight }: { rise: number; lineHeight: number },
): string {
  const isRaised = height < RAISED_HEIGHT * lineHeight && rise > RAISED_BY * lineHeight;
  if (!isRaised || !/\d[.,;:)]?$/.test(before) || !/^\d/.test(str)) return "";
  if (!/\d$/.test(before)) return " ";
  return /\p{Sc}\s?[\d.,]{1,20}$/u.test(before.slice(-24)) && /^\d\d(?!\d)/.test(str) ? "." : "^";
}

/** The extent of a piece along its line, and the position of the line. Text can run in any direction. */
function place({ transform, width }: Item): { from: number; to: number; y: number } {
  const [a = 1, b = 0, , , x = 0, y = 0] = transform;
  const size = Math.hypot(a, b) || 1;
  const from = (x * a + y * b) / size;
  return { from, to: from + width, y: (y * a - x * b) / size };
}

const emptyLine = (): Line => ({ segments: [], text: "", y: 0, height: 0 });

/** Removes NUL, which PostgreSQL cannot store in text. */
const clean = (text: string) => text.replaceAll("\0", "").replace(/\s+/g, " ").trim();

function withText(line: Line): Line {
  return { ...line, text: clean(line.segments.map(({ text }) => text).join("")) };
}

/** A text at a place of a page that is not part of the page's own text, such as the value of a form field. */
export type PlacedText = { text: string; from: number; bottom: number; top: number };

/** Inserts texts into the lines beside which they are shown, or between the lines. */
export function insertTexts(lines: readonly Line[], texts: readonly PlacedText[]): Line[] {
  const result = lines.map((line) => ({ ...line, segments: [...line.segments] }));
  for (const { text, from, bottom, top } of texts) {
    const segment = { text: ` ${clean(text)} `, from, to: from };
    const beside = result.find(({ y, height }) => y + height / 2 >= bottom - 2 && y + height / 2 <= top + 2);
    if (beside) {
      beside.segments.push(segment);
      beside.segments.sort((a, b) => a.from - b.from);
      continue;
    }
    const below = result.findIndex(({ y }) => y < bottom);
    const line = { segments: [segment], text: "", y: bottom, height: Math.min(12, top - bottom) };
    result.splice(below === -1 ? result.length : below, 0, line);
  }
  return result.map(withText);
}

/** Median of the words of a segment from which on segments are prose and not cells. */
const MIN_WORDS = 3;

/**
 * Separates columns that the file writes row by row. Lines beside each other are columns of prose, and not the cells of
 * a table, if they have several words and the next line of the same column continues the sentence.
 */
export function separateColumns(lines: readonly Line[]): Line[] {
  const result: Line[] = [];
  for (let index = 0; index < lines.length; ) {
    const rows = findRows(lines, index);
    if (rows.length > 1 && isProse(rows)) {
      const { left, right } = cutRows(rows);
      result.push(...left, ...separateColumns(right));
    } else {
      result.push(...rows);
    }
    index += rows.length;
  }
  return result;
}

/** The lines from `start` on that have a gap at the same place. */
function findRows(lines: readonly Line[], start: number): Line[] {
  const rows: Line[] = [];
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const line of lines.slice(start)) {
    const [first, second] = line.segments;
    if (!first || !second) break;
    const [nextLow, nextHigh] = [Math.max(low, first.to), Math.min(high, second.from)];
    if (nextHigh <= nextLow) break;
    [low, high] = [nextLow, nextHigh];
    rows.push(line);
  }
  return rows.length > 0 ? rows : lines.slice(start, start + 1);
}

function isProse(rows: readonly Line[]): boolean {
  const { left, right } = cutRows(rows);
  return [left, right].every((column) => {
    const words = column.map(({ text }) => text.split(" ").length).sort((a, b) => a - b);
    const continued = column.filter(({ text }, index) => index > 0 && /^[\p{Ll}(]/u.test(text)).length;
    const needed = column.length < 4 ? 0.5 : 0.3;
    return (words[Math.ceil((words.length - 1) / 2)] ?? 0) >= MIN_WORDS && continued >= needed * (column.length - 1);
  });
}

function cutRows(rows: readonly Line[]): { left: Line[]; right: Line[] } {
  return {
    left: rows.map((line) => withText({ ...line, segments: line.segments.slice(0, 1) })),
    right: rows.map((line) => withText({ ...line, segments: line.segments.slice(1) })),
  };
}
