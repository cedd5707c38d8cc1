/** The number of postings in a block, which is one row of the index and takes about 32 KB. */
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

export type ByteReader = { bytes: Uint8Array; at: number };

export function readNumber(reader: ByteReader): number {
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

/** @param base is added to the chunk numbers */
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

/** Reads the output of `packContents`. `segment-contents.ts` finds single terms in it. */
export function* unpackContents(bytes: Uint8Array): Generator<TermPostings> {
  for (const reader: ByteReader = { bytes, at: 0 }; reader.at < bytes.length; ) {
    const nameLength = readNumber(reader);
    const packedLength = readNumber(reader);
    const chunks = readNumber(reader);
    const packedAt = reader.at + nameLength;
    const term = decoder.decode(bytes.subarray(reader.at, packedAt));
    reader.at = packedAt + packedLength;
    yield { term, chunks, postings: bytes.subarray(packedAt, reader.at) };
  }
}

/** Compares terms by their UTF-8 bytes, as both databases do. UTF-16 order differs for characters beyond U+FFFF. */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= SURROGATES && y >= SURROGATES ? moveSurrogatesLast(x) - moveSurrogatesLast(y) : x - y;
  }
  return a.length - b.length;
}

const SURROGATES = 0xd800;
const moveSurrogatesLast = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit + 0x2000);
