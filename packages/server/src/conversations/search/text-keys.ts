/**
 * A key stands for three adjacent characters of a word, or for its last two. 25 bits identify the organization and the
 * first two characters, and the lowest 5 bits the third one, so all keys that begin with two characters are a range.
 * Different characters can have the same key, so a search compares the text of what it finds.
 */
const THIRD_BITS = 5;
/** The third part of a key at the end of a word. */
const END = 31;
/** From here on, scripts are written without spaces. A single character can be a word. */
const FIRST_IDEOGRAPH = 0x2e80;
/** The second character of a key for a single one. */
const ALONE = 0xffff;

const words = /[\p{L}\p{N}\p{M}]+/gu;

/** The keys that a text needs to contain: all of `all`, and for each item of `starts` one that begins with it. */
export type QueryKeys = { all: number[]; starts: number[] };

/** The keys of a text in an organization. */
export function keysOf(organizationId: string, text: string): Set<number> {
  const keys = new Set<number>();
  const seed = hashText(organizationId);
  for (const [word] of fold(text).matchAll(words)) {
    for (let at = 0; at + 1 < word.length; at++) {
      keys.add(toStart(seed, word, at) | thirdOf(word, at + 2));
    }
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at);
      if (unit >= FIRST_IDEOGRAPH) keys.add(toSingle(seed, unit));
    }
  }
  return keys;
}

/**
 * The keys for the search of a text, at most `max` of each kind.
 * @returns null when the text has none, such as a single letter
 */
export function queryKeysOf(organizationId: string, text: string, max: number): QueryKeys | null {
  const seed = hashText(organizationId);
  const folded = fold(text);
  const all = new Set<number>();
  const starts = new Set<number>();
  for (const { 0: word, index } of folded.matchAll(words)) {
    for (let at = 0; at + 2 < word.length; at++) all.add(toStart(seed, word, at) | thirdOf(word, at + 2));
    const last = word.length - 2;
    // The word ends here in every text that contains the search text, unless the search text ends with it.
    const isWhole = index + word.length < folded.length;
    if (last >= 0 && isWhole) all.add(toStart(seed, word, last) | END);
    if (word.length === 2 && !isWhole) starts.add(toStart(seed, word, 0));
    if (word.length === 1 && word.charCodeAt(0) >= FIRST_IDEOGRAPH) all.add(toSingle(seed, word.charCodeAt(0)));
  }
  if (all.size + starts.size === 0) return null;
  // Two letters are in many texts, so they add little to three.
  return { all: spread([...all], max), starts: all.size === 0 ? [...starts].slice(0, max) : [] };
}

/** All keys that begin with two characters. */
export const keysFrom = (start: number): number[] => Array.from({ length: END + 1 }, (_, third) => start + third);

/**
 * A key as a word for SQLite's full-text index. Those of a start have its first five letters in common.
 */
export function toToken(key: number): string {
  const start = (key >>> THIRD_BITS).toString(36).padStart(5, "0");
  return start + (key & END).toString(32);
}

/** Folds letters that the databases and JavaScript change to lower case in different ways. */
const fold = (text: string): string => text.toLowerCase().replaceAll("ς", "σ").replaceAll("\u0307", "");

function toStart(seed: number, word: string, at: number): number {
  return toKeyStart(seed, word.charCodeAt(at), word.charCodeAt(at + 1));
}

const toSingle = (seed: number, unit: number): number => toKeyStart(seed, unit, ALONE) | END;

function thirdOf(word: string, at: number): number {
  return at < word.length ? word.charCodeAt(at) % END : END;
}

/** The FNV-1a hash of both characters, without the bits of the third one. */
function toKeyStart(seed: number, first: number, second: number): number {
  let hash = Math.imul(seed ^ first, 0x01000193);
  hash = Math.imul(hash ^ second, 0x01000193);
  hash ^= hash >>> 15;
  return ((hash >>> 7) << THIRD_BITS) & 0x3fffffff;
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** At most `max` items, spread evenly. */
function spread<Item>(items: readonly Item[], max: number): Item[] {
  if (items.length <= max) return [...items];
  return Array.from({ length: max }, (_, at) => items[Math.floor((at * items.length) / max)] as Item);
}
