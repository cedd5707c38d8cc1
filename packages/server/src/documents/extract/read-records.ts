import { type Options, parse } from "csv-parse/sync";

const separators = [",", ";", "\t", "|"];
const SAMPLE_CHARACTERS = 20_000;
const SAMPLE_RECORDS = 20;
/** The first line of a CSV file that Excel reads instead of guessing the separator. */
const separatorLine = /^\ufeff?"?sep=(.)"?[ \t]*(?:\r\n?|\n|$)/i;

type Sample = { separator: string | null; records: string[][] };

/**
 * Reads the first records with the separator that gives most of them the same number of fields. `separator` is null when
 * no separator gives two fields.
 */
export function readRecords(text: string): Sample {
  const [line = "", named] = separatorLine.exec(text) ?? [];
  const start = text.slice(line.length, line.length + SAMPLE_CHARACTERS);
  const isCut = text.length > line.length + SAMPLE_CHARACTERS;
  let best: Sample & { evenness: number; fields: number } = { separator: null, records: [], evenness: 0, fields: 1 };
  for (const separator of named === undefined ? separators : [named]) {
    const records = parseRecords(start, separator, { to: SAMPLE_RECORDS });
    // The last record of the sample may be incomplete.
    if (isCut && records.length < SAMPLE_RECORDS) records.pop();
    const { fields, evenness } = measureEvenness(records);
    const isBetter = evenness > best.evenness || (evenness === best.evenness && fields > best.fields);
    if (fields > 1 && isBetter) best = { separator, records, evenness, fields };
  }
  return best;
}

/** Reads all records, and counts those whose quotation marks are faulty. They are read line by line. */
export function readAllRecords(text: string): { records: string[][]; faulty: number } {
  const separator = readRecords(text).separator ?? ",";
  const content = text.replace(separatorLine, "");
  try {
    return { records: parse(content, createSettings(separator)), faulty: 0 };
  } catch {
    return splitRecords(content, separator);
  }
}

function parseRecords(text: string, delimiter: string, options: { to?: number }): string[][] {
  try {
    return parse(text, { ...createSettings(delimiter), ...options });
  } catch {
    return splitRecords(text, delimiter).records.slice(0, options.to);
  }
}

const createSettings = (delimiter: string) =>
  ({
    bom: true,
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    trim: true,
  }) satisfies Options;

/** Patterns for a field, quoted or not, with the separator or line end after it, and for a line. */
type FieldPatterns = { strict: RegExp; escaped: RegExp; line: RegExp; loose: RegExp };

/**
 * Reads a text in which a quotation mark is faulty: not doubled, escaped with a backslash, as MySQL and PHP do, or never
 * closed. Only the record with the mark is read otherwise: its quotation marks count where a field begins and ends.
 */
function splitRecords(text: string, delimiter: string): { records: string[][]; faulty: number } {
  const patterns = createPatterns(delimiter);
  const records: string[][] = [];
  let faulty = 0;
  for (let start = text.startsWith("\ufeff") ? 1 : 0; start < text.length; ) {
    const found = readRecord(text, start, patterns.strict) ?? readRecord(text, start, patterns.escaped);
    if (found === null) faulty++;
    const { fields, end } = found ?? readLine(text, start, patterns);
    if (fields.some((field) => field !== "") || fields.length > 1) records.push(fields);
    start = end;
  }
  return { records, faulty };
}

/** A field that began with a quotation mark and is longer was never closed. */
const MAX_QUOTED = 32_768;

function createPatterns(delimiter: string): FieldPatterns {
  const separator = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const blank = delimiter === "\t" ? " *" : "[ \\t]*";
  const end = `${blank}(${separator}|\\r\\n|\\n|\\r|$)`;
  const bare = `([^${separator}\\r\\n]*?)`;
  const quoted = (content: string) => new RegExp(`${blank}(?:"(${content})"|(?![ \\t]*")${bare})${end}`, "y");
  return {
    strict: quoted(`[^"]{0,${MAX_QUOTED}}(?:""[^"]{0,${MAX_QUOTED}})*`),
    escaped: quoted(`[^"\\\\]{0,${MAX_QUOTED}}(?:(?:\\\\[\\s\\S]|"")[^"\\\\]{0,${MAX_QUOTED}})*`),
    line: /([^\r\n]*)(?:\r\n|\n|\r|$)/y,
    loose: new RegExp(`${blank}(?:"([^\\r\\n]*?)"|${bare})${end}`, "y"),
  };
}

function readRecord(text: string, start: number, field: RegExp): { fields: string[]; end: number } | null {
  const fields: string[] = [];
  field.lastIndex = start;
  for (;;) {
    const match = field.exec(text);
    if (match === null) return null;
    const [, quoted, bare = "", end = ""] = match;
    fields.push((quoted ?? bare).replace(/""|\\(["\\])/g, (mark, escaped) => escaped ?? mark.slice(1)).trim());
    if (end === "" || /[\r\n]/.test(end)) return { fields, end: field.lastIndex };
  }
}

function readLine(text: string, start: number, { line, loose }: FieldPatterns): { fields: string[]; end: number } {
  line.lastIndex = start;
  const [, content = ""] = line.exec(text) ?? [];
  const { fields } = readRecord(content, 0, loose) ?? { fields: [content] };
  return { fields, end: line.lastIndex };
}

/** The most frequent number of fields above one, and the share of the records that have it. */
function measureEvenness(records: readonly string[][]): { fields: number; evenness: number } {
  const counts = new Map<number, number>();
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1);
  const several = [...counts].filter(([fields]) => fields > 1).sort(([, a], [, b]) => b - a);
  const [fields, count] = several[0] ?? [1, 0];
  return { fields, evenness: count / Math.max(1, records.length) };
}
