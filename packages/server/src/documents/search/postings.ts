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

/** A position in packed postings. It is at a posting, whose values it has, or at the end. */
export type PostingCursor = Posting & { reader: ByteReader; isAtEnd: boolean };

/** @param base is added to the chunks */
export function openPostings(bytes: Uint8Array, base: number): PostingCursor {
  const cursor = { chunk: base, frequency: 0, length: 0, reader: { bytes, at: 0 }, isAtEnd: false };
  toNextPosting(cursor);
  return cursor;
}

/** Changes the cursor, because a search reads hundreds of thousands of postings: an object for each would be slow. */
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
  for (const entry of entriesOf(bytes)) yield toPostings(bytes, entry);
}

/** Finds the postings of some terms in the output of `packContents` without decoding the rest. */
export function findInContents(bytes: Uint8Array, wanted: ReadonlyMap<string, Uint8Array>): TermPostings[] {
  const found: TermPostings[] = [];
  const byLength = new Map<number, Array<Uint8Array>>();
  for (const name of wanted.values()) {
    const sameLength = byLength.get(name.length);
    if (sameLength) sameLength.push(name);
    else byLength.set(name.length, [name]);
  }
  for (const entry of entriesOf(bytes)) {
    for (const name of byLength.get(entry.packedAt - entry.nameAt) ?? []) {
      if (isAt(bytes, entry.nameAt, name)) found.push(toPostings(bytes, entry));
    }
  }
  return found;
}

/** The terms in the output of `packContents` that begin with `prefix`. Only these are decoded. */
export function termsInContents(bytes: Uint8Array, prefix: string): string[] {
  const wanted = encodeTerm(prefix);
  const found: string[] = [];
  for (const { nameAt, packedAt } of entriesOf(bytes)) {
    if (packedAt - nameAt < wanted.length || !isAt(bytes, nameAt, wanted)) continue;
    found.push(decoder.decode(bytes.subarray(nameAt, packedAt)));
  }
  return found;
}

/** Where a term and its postings are. The same object is used for every entry. */
type Entry = { chunks: number; nameAt: number; packedAt: number; end: number };

function* entriesOf(bytes: Uint8Array): Generator<Entry> {
  const reader = { bytes, at: 0 };
  const entry = { chunks: 0, nameAt: 0, packedAt: 0, end: 0 };
  while (reader.at < bytes.length) {
    const nameLength = readNumber(reader);
    const packedLength = readNumber(reader);
    entry.chunks = readNumber(reader);
    entry.nameAt = reader.at;
    entry.packedAt = entry.nameAt + nameLength;
    entry.end = entry.packedAt + packedLength;
    reader.at = entry.end;
    yield entry;
  }
}

function toPostings(bytes: Uint8Array, { chunks, nameAt, packedAt, end }: Entry): TermPostings {
  return {
    term: decoder.decode(bytes.subarray(nameAt, packedAt)),
    chunks,
    postings: bytes.subarray(packedAt, end),
  };
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index++) {
    if (bytes[at + index] !== wanted[index]) return false;
  }
  return true;
}

export const encodeTerm = (term: string): Uint8Array => encoder.encode(term);

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
