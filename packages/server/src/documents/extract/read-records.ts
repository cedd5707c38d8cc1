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

/** Reads all records. A quotation mark that is not closed is part of the text. */
export function readAllRecords(text: string): string[][] {
  const { separator } = readRecords(text);
  return parseRecords(text.replace(separatorLine, ""), separator ?? ",", {});
}

function parseRecords(text: string, delimiter: string, options: Options): string[][] {
  const settings = { bom: true, delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true };
  const recordDelimiter = ["\r\n", "\n", "\r"];
  try {
    return parse(text, { ...settings, ...options, record_delimiter: recordDelimiter, trim: true }) as string[][];
  } catch {
    return parse(text, {
      ...settings,
      ...options,
      record_delimiter: recordDelimiter,
      trim: true,
      quote: null,
    }) as string[][];
  }
}

/** The most frequent number of fields above one, and the share of the records that have it. */
function measureEvenness(records: readonly string[][]): { fields: number; evenness: number } {
  const counts = new Map<number, number>();
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1);
  const several = [...counts].filter(([fields]) => fields > 1).sort(([, a], [, b]) => b - a);
  const [fields, count] = several[0] ?? [1, 0];
  return { fields, evenness: count / Math.max(1, records.length) };
}
