/** Postings in a block, which is one row of the index and takes about 32 KB. */
export const BLOCK_CHUNKS = 8_192;

/** A chunk in which a term occurs. */
export type Posting = {
  /** the chunk's number, or its ordinal within a single document */
  chunk: number;
  /** occurrences of the term; those in questions and headings are weighted */
  frequency: number;
  /** words in the chunk */
  length: number;
};

/** A growing buffer of unsigned variable-length integers: seven bits per byte, lowest first. */
function createByteWriter(initialSize = 256) {
  let bytes = new Uint8Array(initialSize);
  let size = 0;
  const reserve = (more: number) => {
    if (size + more <= bytes.length) return;
    const larger = new Uint8Array(Math.max(bytes.length * 2, size + more));
    larger.set(bytes.subarray(0, size));
    bytes = larger;
  };
  return {
    number(value: number): void {
      reserve(8);
      let rest = value;
      while (rest > 127) {
        bytes[size++] = (rest % 128) + 128;
        rest = Math.floor(rest / 128);
      }
      bytes[size++] = rest;
    },
    bytes(more: Uint8Array): void {
      reserve(more.length);
      bytes.set(more, size);
      size += more.length;
    },
    get size() {
      return size;
    },
    finish: (): Uint8Array => bytes.slice(0, size),
  };
}

type ByteReader = { bytes: Uint8Array; at: number };

function readNumber(reader: ByteReader): number {
  const first = reader.bytes[reader.at++] as number;
  return first < 128 ? first : readLargeNumber(reader, first - 128);
}

function readLargeNumber(reader: ByteReader, lowest: number): number {
  let value = lowest;
  for (let scale = 128; ; scale *= 128) {
    const byte = reader.bytes[reader.at++] ?? 0;
    if (byte < 128) return value + byte * scale;
    value += (byte - 128) * scale;
  }
}

/** Packs the postings of a term, sorted by chunk, into about four bytes each. */
export function packPostings(postings: readonly Posting[]): Uint8Array {
  const writer = createByteWriter(postings.length * 4 + 8);
  let previous = 0;
  for (const { chunk, frequency, length } of postings) {
    writer.number(chunk - previous);
    writer.number(frequency);
    writer.number(length);
    previous = chunk;
  }
  return writer.finish();
}

/** A position in packed postings: at a posting, whose values it holds, or at the end. */
export type PostingCursor = Posting & { reader: ByteReader; isAtEnd: boolean };

/** @param base is added to the chunks */
export function openPostings(bytes: Uint8Array, base: number): PostingCursor {
  const cursor = { chunk: base, frequency: 0, length: 0, reader: { bytes, at: 0 }, isAtEnd: false };
  toNextPosting(cursor);
  return cursor;
}

/**
 * Advances the cursor in place. A search reads hundreds of thousands of postings, so an object for each would be slow.
 */
export function toNextPosting(cursor: PostingCursor): void {
  const { reader } = cursor;
  cursor.isAtEnd = reader.at >= reader.bytes.length;
  if (cursor.isAtEnd) return;
  cursor.chunk += readNumber(reader);
  cursor.frequency = readNumber(reader);
  cursor.length = readNumber(reader);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Packs the terms of one document with their postings (by ordinal), sorted by term. */
export function packContents(terms: ReadonlyMap<string, Posting[]>): Uint8Array {
  const writer = createByteWriter(4_096);
  for (const [term, postings] of [...terms].sort(([a], [b]) => compareTerms(a, b))) {
    const name = encoder.encode(term);
    const packed = packPostings(postings);
    writer.number(name.length);
    writer.number(packed.length);
    writer.number(postings.length);
    writer.bytes(name);
    writer.bytes(packed);
  }
  return writer.finish();
}

export type TermPostings = { term: string; chunks: number; postings: Uint8Array };

/** Reads the output of `packContents`. */
export function* unpackContents(bytes: Uint8Array): Generator<TermPostings> {
  for (const entry = openContents(bytes); toNextEntry(entry); ) yield toPostings(entry);
}

/** Terms to find in packed contents, as bytes in the order of the contents. */
export type WantedTerms = readonly Uint8Array[];

/** @returns the terms as bytes, sorted like those of packed contents */
export function toWantedTerms(terms: Iterable<string>): WantedTerms {
  return [...new Set(terms)].sort(compareTerms).map((term) => encoder.encode(term));
}

/** Finds the postings of some terms in the output of `packContents` without decoding the rest. */
export function findInContents(bytes: Uint8Array, wanted: WantedTerms): TermPostings[] {
  const found: TermPostings[] = [];
  visit(bytes, wanted, (entry, term) => {
    const order = compareStart(entry, term);
    if (order === 0 && entry.packedAt - entry.nameAt === term.length) found.push(toPostings(entry));
    // A longer term that begins with this one comes after it.
    else if (order === 0) return 1;
    return order;
  });
  return found;
}

/** The terms in the output of `packContents` that begin with one of these prefixes. Only these are decoded. */
export function termsInContents(bytes: Uint8Array, prefixes: WantedTerms): string[] {
  const found: string[] = [];
  visit(bytes, prefixes, (entry, prefix) => {
    const order = compareStart(entry, prefix);
    if (order === 0) found.push(nameOf(entry));
    return order;
  });
  return found;
}

/**
 * Reads both sorted lists in parallel, once, because a search reads all entries of a small agent several times.
 * `compare` returns a positive number when the entry comes after the term and all that begin with it.
 */
function visit(bytes: Uint8Array, wanted: WantedTerms, compare: (entry: Entry, term: Uint8Array) => number): void {
  let next = 0;
  for (const entry = openContents(bytes); next < wanted.length && toNextEntry(entry); ) {
    for (let term = wanted[next]; term !== undefined && compare(entry, term) > 0; term = wanted[next]) next++;
  }
}

/** 0 when the entry's term begins with `start`; otherwise negative when it comes before it, and positive after it. */
function compareStart({ reader: { bytes }, nameAt, packedAt }: Entry, start: Uint8Array): number {
  const length = Math.min(start.length, packedAt - nameAt);
  for (let index = 0; index < length; index++) {
    const difference = (bytes[nameAt + index] as number) - (start[index] as number);
    if (difference !== 0) return difference;
  }
  return length < start.length ? -1 : 0;
}

/** A position in packed contents: the offsets of a term and its postings. */
type Entry = { reader: ByteReader; chunks: number; nameAt: number; packedAt: number };

const openContents = (bytes: Uint8Array): Entry => ({ reader: { bytes, at: 0 }, chunks: 0, nameAt: 0, packedAt: 0 });

/** Advances the entry in place, because a generator took three times as long. @returns false at the end */
function toNextEntry(entry: Entry): boolean {
  const { reader } = entry;
  if (reader.at >= reader.bytes.length) return false;
  const nameLength = readNumber(reader);
  const packedLength = readNumber(reader);
  entry.chunks = readNumber(reader);
  entry.nameAt = reader.at;
  entry.packedAt = reader.at + nameLength;
  reader.at += nameLength + packedLength;
  return true;
}

function nameOf({ reader: { bytes }, nameAt, packedAt }: Entry): string {
  return decoder.decode(bytes.subarray(nameAt, packedAt));
}

function toPostings(entry: Entry): TermPostings {
  const { reader, chunks, packedAt } = entry;
  return { term: nameOf(entry), chunks, postings: reader.bytes.subarray(packedAt, reader.at) };
}

/** Compares terms by their UTF-8 bytes, as both databases do. UTF-16 order differs for characters beyond U+FFFF. */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= SURROGATES && y >= SURROGATES ? pastSurrogates(x) - pastSurrogates(y) : x - y;
  }
  return a.length - b.length;
}

const SURROGATES = 0xd800;
const pastSurrogates = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit + 0x2000);
