import type { InPieces } from "../../run-in-pieces.ts";
import { percentEncode } from "./percent-encode.ts";

export type Mask = (text: string) => InPieces<string>;

/** Shorter values would mask large parts of a response, and are not real secrets. */
const MIN_LENGTH = 4;

/**
 * Returns a function that replaces secrets with `***`, in every spelling in which a service may echo them. Secrets of
 * fewer than 4 characters are not replaced.
 *
 * All spellings are found in one pass over the text for each power of two between their lengths, with rolling hashes
 * (Rabin-Karp). A member chooses the secrets and the service chooses the text, so the time must not depend on either:
 * `replaceAll` takes seconds for a secret of 10,000 characters that was made to be slow to find in 1 MB. Ten such
 * secrets still take 0.3 s, so the work is done in pieces.
 */
export function* createMask(secrets: readonly string[]): InPieces<Mask> {
  const found = new Set<string>();
  for (const secret of secrets.filter(({ length }) => length >= MIN_LENGTH)) {
    yield;
    for (const spelling of listSpellings(secret)) found.add(spelling);
  }
  const groups: Group[] = [];
  for (const [width, values] of Map.groupBy(found, ({ length }) => 2 ** Math.floor(Math.log2(length)))) {
    groups.push(yield* toGroup(width, values));
  }
  return (text) => cutOut(text, groups);
}

/** A value matches where the hashes of its first and of its last `width` characters match, which together cover it. */
type Pattern = { length: number; head: HashPair; tail: HashPair };
/** The second hash is computed only if the first matches, and makes other text practically never match. */
type HashPair = { first: number; second: number };
type Group = {
  /** the largest power of two that does not exceed the length of any value */
  width: number;
  byHead: Map<number, Pattern[]>;
  /** whether any value's first hash ends in these 16 bits; checked first, because it is faster than the map */
  isHead: Uint8Array;
};

/** The number of characters that are hashed or compared in one piece. */
const PIECE = 16_384;
const FIRST_BASE = 0x9e3779b1;
const SECOND_BASE = 0x85ebca77;

function* toGroup(width: number, values: string[]): InPieces<Group> {
  const patterns: Pattern[] = [];
  for (const value of values) {
    yield;
    patterns.push(yield* toPattern(value, width));
  }
  const isHead = new Uint8Array(65_536);
  for (const { head } of patterns) isHead[head.first & 0xffff] = 1;
  return { width, byHead: Map.groupBy(patterns, ({ head }) => head.first), isHead };
}

function* toPattern(value: string, width: number): InPieces<Pattern> {
  const first = yield* computeRollingHashes(value, width, FIRST_BASE);
  const second = yield* computeRollingHashes(value, width, SECOND_BASE);
  const pairAt = (at: number) => ({ first: first[at] ?? 0, second: second[at] ?? 0 });
  return { length: value.length, head: pairAt(0), tail: pairAt(value.length - width) };
}

/** One hash per position, of the `width` characters that start there. */
function* computeRollingHashes(text: string, width: number, base: number): InPieces<Uint32Array> {
  const hashes = new Uint32Array(text.length - width + 1);
  let oldestFactor = 1;
  for (let index = 0; index < width; index++) oldestFactor = Math.imul(oldestFactor, base);
  let hash = 0;
  for (let at = 0; at < width; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
  hashes[0] = hash;
  for (let at = width; at < text.length; at++) {
    if (at % PIECE === 0) yield;
    const oldest = Math.imul(text.charCodeAt(at - width), oldestFactor);
    hash = (Math.imul(hash, base) + text.charCodeAt(at) - oldest) | 0;
    hashes[at - width + 1] = hash;
  }
  return hashes;
}

/** Replaces each run of overlapping matches by `***`. */
function* cutOut(text: string, groups: readonly Group[]): InPieces<string> {
  const ends = yield* matchEnds(text, groups);
  if (ends === null) return text;
  let masked = "";
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    if (at % PIECE === 0) yield;
    if (!ends[at]) continue;
    masked += `${text.slice(copied, at)}***`;
    let end = ends[at] ?? 0;
    for (at += 1; at < end; at++) end = Math.max(end, ends[at] ?? 0);
    copied = end;
    at = end - 1;
  }
  return masked + text.slice(copied);
}

/** For each position where a value begins, the end of the longest one. Null if there is none. */
function* matchEnds(text: string, groups: readonly Group[]): InPieces<Uint32Array | null> {
  let ends: Uint32Array | null = null;
  for (const { width, byHead, isHead } of groups) {
    if (text.length < width) continue;
    const first = yield* computeRollingHashes(text, width, FIRST_BASE);
    let second: Uint32Array | null = null;
    for (let at = 0; at < first.length; at++) {
      if (at % PIECE === PIECE - 1) yield;
      const hash = first[at] ?? 0;
      if (isHead[hash & 0xffff] === 0) continue;
      for (const { length, head, tail } of byHead.get(hash) ?? []) {
        const last = at + length - width;
        if (first[last] !== tail.first) continue;
        second ??= yield* computeRollingHashes(text, width, SECOND_BASE);
        if (second[at] !== head.second || second[last] !== tail.second) continue;
        ends ??= new Uint32Array(text.length);
        ends[at] = Math.max(ends[at] ?? 0, at + length);
      }
    }
  }
  return ends;
}

/**
 * The spellings in which a service may echo a text: unchanged, trimmed, within JSON, or percent-encoded in one of the
 * usual ways.
 */
function listSpellings(secret: string): string[] {
  const plain = [secret.toWellFormed(), JSON.stringify(secret).slice(1, -1)];
  const form = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
  const encoders = [percentEncode, encodeURIComponent, encodeURI, form];
  const encoded = plain.flatMap((text) => encoders.map((encode) => encode(text)));
  const lowered = encoded.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  const trimmed = secret.trim().length >= MIN_LENGTH ? [secret.trim()] : [];
  // A long number without quotes in JSON loses its last digits.
  const rounded = /^\d{16,}$/.test(secret) ? [String(Number(secret))] : [];
  return [secret, ...plain, ...trimmed, ...rounded, ...encoded, ...lowered];
}
