import { type ByteReader, compareTerms, readNumber, type TermPostings } from "./postings.ts";

/** The output of `packContents`, with the offset of each entry. The entries are sorted by their terms' bytes. */
export type SegmentContents = { bytes: Buffer; entries: Uint32Array };

/** Finds the entries once, so that searches of these contents read only a few of them. @param bytes is not copied */
export function indexContents(bytes: Buffer): SegmentContents {
  const entries: number[] = [];
  for (const reader: ByteReader = { bytes, at: 0 }; reader.at < bytes.length; ) {
    entries.push(reader.at);
    const nameLength = readNumber(reader);
    const packedLength = readNumber(reader);
    readNumber(reader);
    reader.at += nameLength + packedLength;
  }
  return { bytes, entries: Uint32Array.from(entries) };
}

/** Terms to find in contents, as bytes in the order of the contents. */
export type WantedTerms = readonly Buffer[];

/** @returns the terms as bytes, sorted like those of contents */
export function toWantedTerms(terms: Iterable<string>): WantedTerms {
  return [...new Set(terms)].sort(compareTerms).map((term) => Buffer.from(term));
}

/** Finds the postings of some terms. */
export function findInContents(contents: SegmentContents, wanted: WantedTerms): TermPostings[] {
  const found: TermPostings[] = [];
  let index = 0;
  for (const term of wanted) {
    index = findFirstEntry(contents, index, term);
    const entry = entryAt(contents, index);
    if (entry === null) break;
    if (entry.packedAt - entry.nameAt === term.length && startsWith(contents, entry, term)) {
      found.push({ term: decodeName(contents, entry), chunks: entry.chunks, postings: slicePostings(contents, entry) });
    }
  }
  return found;
}

/** The terms that begin with one of these prefixes. */
export function findTerms(contents: SegmentContents, prefixes: WantedTerms): string[] {
  const found: string[] = [];
  let index = 0;
  for (const prefix of prefixes) {
    index = findFirstEntry(contents, index, prefix);
    for (let entry = entryAt(contents, index); entry !== null; entry = entryAt(contents, ++index)) {
      if (!startsWith(contents, entry, prefix)) break;
      found.push(decodeName(contents, entry));
    }
  }
  return found;
}

type Entry = { chunks: number; nameAt: number; packedAt: number; end: number };

function entryAt({ bytes, entries }: SegmentContents, index: number): Entry | null {
  const at = entries[index];
  if (at === undefined) return null;
  const reader = { bytes, at };
  const nameLength = readNumber(reader);
  const packedLength = readNumber(reader);
  const chunks = readNumber(reader);
  const packedAt = reader.at + nameLength;
  return { chunks, nameAt: reader.at, packedAt, end: packedAt + packedLength };
}

/** The index of the first entry, from `from` on, whose term is not before this one. */
function findFirstEntry(contents: SegmentContents, from: number, term: Buffer): number {
  let low = from;
  let high = contents.entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(contents, middle, term)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Whether an entry's term comes before this one. In JavaScript, because calling `Buffer.compare` takes twice as long.
 */
function isBefore({ bytes, entries }: SegmentContents, index: number, term: Buffer): boolean {
  const reader = { bytes, at: entries[index] as number };
  const nameLength = readNumber(reader);
  readNumber(reader);
  readNumber(reader);
  const length = Math.min(nameLength, term.length);
  for (let offset = 0; offset < length; offset++) {
    const difference = (bytes[reader.at + offset] as number) - (term[offset] as number);
    if (difference !== 0) return difference < 0;
  }
  return nameLength < term.length;
}

function startsWith({ bytes }: SegmentContents, { nameAt, packedAt }: Entry, start: Buffer): boolean {
  if (packedAt - nameAt < start.length) return false;
  for (let offset = 0; offset < start.length; offset++) {
    if (bytes[nameAt + offset] !== start[offset]) return false;
  }
  return true;
}

const decodeName = ({ bytes }: SegmentContents, { nameAt, packedAt }: Entry) =>
  bytes.toString("utf8", nameAt, packedAt);
const slicePostings = ({ bytes }: SegmentContents, { packedAt, end }: Entry) => bytes.subarray(packedAt, end);
