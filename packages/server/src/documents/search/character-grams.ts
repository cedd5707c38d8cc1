import { simplifiedForms } from "./chinese-characters.ts";
import { normalize } from "./words.ts";

const GRAM = 4;
const SPACE = 0x20;

/**
 * The class of each UTF-16 unit: 1 for letters, digits and marks, 2 for all others, 0 if it has not been classified
 * yet.
 */
const classes = new Uint8Array(65_536);
/** The unit under which each is compared: the simplified form of a traditional character. */
const folded = Uint16Array.from(classes, (_, unit) => unit);
for (const [traditional, simplified] of simplifiedForms) folded[traditional.charCodeAt(0)] = simplified.charCodeAt(0);
const wordCharacter = /^[\p{L}\p{N}\p{M}]$/u;
/** The words and grams of the last text. The buffers are reused, because a search reads more than 50 texts. */
let units = new Uint16Array(16_384);
let grams = new Uint32Array(16_384);

/**
 * The hashes of all 4-grams of a text, whose words are treated as separated by single spaces. Collisions are rare and
 * only cost a little precision. The result is valid until the next call. It is an array because calling a function for
 * each gram took twice as long.
 */
export function hashGrams(text: string): Uint32Array {
  const length = readWords(text);
  if (grams.length < length) grams = new Uint32Array(units.length);
  let count = 0;
  for (let end = GRAM - 1; end < length; end++) grams[count++] = hashGram(units, end);
  return grams.subarray(0, count);
}

/** The FNV-1a hash of the four units that end at `end`. */
function hashGram(words: Uint16Array, end: number): number {
  let hash = Math.imul(0x811c9dc5 ^ (words[end - 3] as number), 0x01000193);
  hash = Math.imul(hash ^ (words[end - 2] as number), 0x01000193);
  hash = Math.imul(hash ^ (words[end - 1] as number), 0x01000193);
  hash = Math.imul(hash ^ (words[end] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Writes the words into `units`, with one space before each and one after the last. @returns the length */
function readWords(text: string): number {
  const normalized = normalize(text);
  if (units.length < normalized.length + 2) units = new Uint16Array(2 * normalized.length + 2);
  const buffer = units;
  buffer[0] = SPACE;
  let length = 1;
  for (let index = 0; index < normalized.length; index++) {
    const unit = normalized.charCodeAt(index);
    if (isWordUnit(normalized, index, unit)) buffer[length++] = folded[unit] as number;
    else if (buffer[length - 1] !== SPACE) buffer[length++] = SPACE;
  }
  if (buffer[length - 1] !== SPACE) buffer[length++] = SPACE;
  return length;
}

function isWordUnit(text: string, index: number, unit: number): boolean {
  const known = classes[unit];
  if (known) return known === 1;
  if (unit >= 0xd800 && unit < 0xe000) return isWordSurrogate(text, index, unit);
  const isWord = wordCharacter.test(String.fromCharCode(unit));
  classes[unit] = isWord ? 1 : 2;
  return isWord;
}

/**
 * Whether the unit is half of a character beyond U+FFFF that belongs to a word. A half without its other half never
 * does.
 */
function isWordSurrogate(text: string, index: number, unit: number): boolean {
  const start = unit < 0xdc00 ? index : index - 1;
  const code = text.codePointAt(start);
  return code !== undefined && code > 0xffff && wordCharacter.test(String.fromCodePoint(code));
}
