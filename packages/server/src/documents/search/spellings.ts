import { stopWords } from "../../stop-words.ts";
import { chineseForms } from "./chinese-characters.ts";
import { listIrregularForms } from "./irregular-plurals.ts";
import { serbianForms } from "./serbian-scripts.ts";
import { foldMarks, stemmerFor } from "./stemmers.ts";
import { hasUnspacedScript, normalize, stemWord, unspacedRuns, type Word } from "./words.ts";

/**
 * Characters that join the parts of a code, a number or a compound, such as `wi-fi`, `1,299`, `at&t`, `ac/dc`. All
 * dashes count, because word processors replace the hyphen.
 */
const JOINER = "[-\u2010-\u2015\u2212./'&_:,+·@\\\\]";
const joinedParts = new RegExp(`[\\p{L}\\p{N}\\p{M}]${JOINER}[\\p{L}\\p{N}\\p{M}]`, "u");
const joinerOfWords = new RegExp(JOINER.replace("'", ""), "u");
const chains = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])[\\p{L}\\p{N}\\p{M}]+(?:${JOINER}[\\p{L}\\p{N}\\p{M}]+)+`, "gu");
/** Groups separated by spaces or punctuation, each with a digit: phone numbers, account numbers, `1 299`. */
const numberGroups = /(?<![\p{L}\p{N}])(?:\+|\()?[a-z]{0,3}\d+(?:[ ()./-]{1,3}\d+)+/gu;
const longNumber = /(?<![\p{L}\p{N}])\+?\d{7,15}(?![\p{L}\p{N}])/gu;
const groupedNumber = /^(\d{1,3}(?:[.,' ]\d{2,3})*[.,' ]\d{3})(?:[.,]\d{1,2})?$/;
/** Letters and digits without a separator, such as `x227t`. */
const mixedWords = /(?<![\p{L}\p{N}])(?=\p{L}*\p{N})(?=\p{N}*\p{L})[\p{L}\p{N}]{2,20}(?![\p{L}\p{N}])/gu;
/** Identifiers such as `userName` and `HTMLElement`, of which capitals begin the parts. */
const camelWords =
  /(?<![\p{L}\p{N}\p{M}])(?=\p{L}*(?:\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}))[\p{L}\p{N}]{4,40}(?![\p{L}\p{N}\p{M}])/gu;
const camelParts = /\p{Lu}+(?!\p{Ll})|\p{L}\p{Ll}*|\p{N}+/gu;
/** `1/2` and `42 1/2`. */
const fractions = /(?<![\p{L}\p{N}./])(?:(\d{1,6}) )?([1-9])\/(2|4|5|8|10)(?![\p{L}\p{N}/])/gu;
/** Acronyms, which have a mark before their last letter. */
const hebrewAcronyms = /(?<![\u05d0-\u05ea])[\u05d0-\u05ea]+(?:["\u05f4]|'')[\u05d0-\u05ea](?![\u05d0-\u05ea])/gu;
/** `c#`, `c++`, `.net`, whose letters alone are other words. */
const symbolNames = /(?<![\p{L}\p{N}])(?:\p{L}{1,12}(?:#|\+{1,2})(?![\p{L}\p{N}+])|\.\p{L}{2,5}(?![\p{L}\p{N}.]))/gu;

const MAX_LENGTH = 40;
/** The maximum number of parts for which each pair of adjacent parts is joined, too. */
const MAX_PARTS = 8;

/** A further spelling of words of a text. `parts` are those words, as written in the normalized text. */
export type Spelling = Word & { parts: string[] };

/**
 * The further spellings under which a text can be found: joined parts (`wifi` for `wi-fi`), parts of joined words
 * (`227` for `x227t`), numbers without separators, phone numbers without country code, and names with symbols. A
 * question with one of the spellings and a passage with another share at least one term.
 */
export function spellingsOf(text: string, languages: readonly string[]): Spelling[] {
  const joined = normalize(text);
  // A number or code ends where writing without spaces begins.
  const normalized = hasUnspacedScript.test(joined) ? joined.replace(unspacedRuns, " $& ") : joined;
  // Most texts have only some of these, and each search for one takes as long as finding the words.
  const hasChains = joinedParts.test(normalized);
  const hasNumbers = /\p{N}/u.test(normalized);
  const hasSymbols = /[#+]|\.\p{L}/u.test(normalized);
  const hasIdentifiers = /\p{L}\p{Lu}\p{L}|\p{Ll}\p{Lu}/u.test(text);
  const hasAcronyms = /[\u05d0-\u05ea]["'\u05f4]/.test(normalized);
  if (!hasChains && !hasNumbers && !hasSymbols && !hasIdentifiers && !hasAcronyms) return [];
  const stems = languages.map(stemmerFor);
  const found = new Map<string, Spelling>();
  const add: Add = (surface, parts, words = []) => {
    if (surface.length > MAX_LENGTH || surface.length < 2 || found.has(surface)) return;
    const terms = stemWord(surface, stems);
    const known = words.flatMap((word) => stemWord(word, stems));
    if (!terms.every((term) => known.includes(term))) found.set(surface, { surface, terms, parts });
  };
  if (hasChains) for (const [chain] of normalized.matchAll(chains)) addChain(add, chain);
  if (hasNumbers) {
    for (const [word] of normalized.matchAll(mixedWords)) addMixed(add, word);
    for (const [groups] of normalized.matchAll(numberGroups)) addNumberGroups(add, groups);
    for (const [number] of normalized.matchAll(longNumber)) addPhoneNumber(add, number, [number]);
    for (const [, whole, ...fraction] of normalized.matchAll(fractions)) addFraction(add, whole, fraction);
  }
  if (hasIdentifiers) for (const [word] of text.matchAll(camelWords)) addIdentifier(add, word);
  if (hasAcronyms) {
    for (const [word] of normalized.matchAll(hebrewAcronyms)) {
      const parts = word.split(/["'\u05f4]+/);
      add(parts.join(""), parts);
    }
  }
  if (!hasSymbols) return [...found.values()];
  for (const [name] of normalized.matchAll(symbolNames)) {
    // Not stemmed, because stemmers know no symbols.
    if (!found.has(name)) found.set(name, { surface: name, terms: [name], parts: [] });
  }
  return [...found.values()];
}

/** @param words ignore the spelling if its terms are those of these words, which would count twice */
type Add = (surface: string, parts: string[], words?: readonly string[]) => void;

function addChain(add: Add, chain: string) {
  const parts = chain.split(new RegExp(JOINER, "u"));
  // `wordsOf` keeps an apostrophe in its word: `house's` has the term of `house`, but `l'hôtel` not that of `hôtel`.
  const words = chain.includes("'") ? chain.split(joinerOfWords) : [];
  add(parts.join(""), parts, words);
  const [, whole] = groupedNumber.exec(chain) ?? [];
  if (whole !== undefined) add(whole.replace(/\D/g, ""), parts);
  if (words.length > 0) for (const part of parts) if (part.length > 2) add(part, [part], words);
  if (parts.length < 3 || parts.length > MAX_PARTS) return;
  for (let index = 1; index < parts.length; index++) {
    const pair = [parts[index - 1] ?? "", parts[index] ?? ""];
    add(pair.join(""), pair);
  }
}

function addMixed(add: Add, word: string) {
  const parts = word.match(/\p{N}+|\p{L}+/gu) ?? [];
  if (parts.length > 4) return;
  for (const part of parts) if (part.length > 1 || /\p{N}/u.test(part)) add(part, [word]);
}

function addIdentifier(add: Add, word: string) {
  const parts = (word.match(camelParts) ?? []).map(normalize);
  if (parts.length < 2 || parts.length > MAX_PARTS) return;
  const whole = normalize(word);
  for (const [index, part] of parts.entries()) {
    add(part, [whole], [whole]);
    if (parts.length > 2) add(part + (parts[index + 1] ?? ""), [whole], [whole]);
  }
}

/** Adds a fraction as decimals, without the separator like other decimals. */
function addFraction(add: Add, whole: string | undefined, [numerator = "", denominator = ""]: string[]) {
  const decimals = String(Number(numerator) / Number(denominator)).split(".")[1];
  if (decimals === undefined || Number(numerator) > Number(denominator)) return;
  add((whole ?? "0") + decimals, whole === undefined ? [numerator, denominator] : [whole, numerator, denominator]);
}

function addNumberGroups(add: Add, groups: string) {
  const parts = groups.match(/[a-z]*\d+/gu) ?? [];
  add(parts.join(""), parts);
  for (let index = 1; index < parts.length && parts.length <= MAX_PARTS; index++) {
    const pair = [parts[index - 1] ?? "", parts[index] ?? ""];
    add(pair.join(""), pair);
  }
  addPhoneNumber(add, groups, parts);
}

/** Adds a phone number with and without its country code, of one to three digits, and its trunk prefix 0. */
function addPhoneNumber(add: Add, text: string, parts: string[]) {
  const digits = text.replace("(0)", "").replace(/\D/g, "");
  if (/[a-z]/.test(text) || digits.length < 7 || digits.length > 17) return;
  const isInternational = text.trimStart().startsWith("+") || digits.startsWith("00");
  const significant = digits.replace(/^0{1,2}/, "");
  add(significant, parts);
  if (!isInternational) return;
  for (const length of [1, 2, 3]) add(significant.slice(length).replace(/^0/, ""), parts);
}

const digraphs: ReadonlyArray<[RegExp, string]> = [
  [/ä|æ/g, "ae"],
  [/ö|ø/g, "oe"],
  [/ü/g, "ue"],
  [/å/g, "aa"],
];
const transliterated: ReadonlyArray<[RegExp, string]> = [
  [/ae/g, "a"],
  [/oe/g, "o"],
  [/ue/g, "u"],
  [/aa/g, "a"],
];
const withUmlauts = new Set(["da", "de", "fi", "no", "sv"]);
const MIN_TRANSLITERATED = 5;

/** The particles that Hebrew writes together with the next word: and, the, in, to, from, as, that. */
const hebrewPrefixes = ["ה", "ו", "ב", "ל", "מ", "כ", "ש", "וה", "שה", "מה", "בה", "לה", "כש"];
const MIN_HEBREW = 3;

/**
 * Further terms of a question's word: umlauts written as two letters or the reverse, Hebrew particles, the other script
 * of Chinese and Serbian, other digits, and irregular plurals.
 */
export function alternativeTerms(surface: string, languages: readonly string[]): string[] {
  if (/^\d{1,2}$/.test(surface)) return [surface.length === 1 ? `0${surface}` : surface.replace(/^0/, "")];
  if (/^\d+$/.test(surface)) return digitForms(surface);
  if (/^[\u05d0-\u05ea]+$/.test(surface)) return hebrewForms(surface);
  if (/^\p{Script=Arabic}+$/u.test(surface)) return keyboardForms(surface);
  if (/^\p{Script=Han}+$/u.test(surface)) return chineseForms(surface);
  const all = languages.map(stemmerFor);
  const others = [...listIrregularForms(surface, languages), ...serbianForms(surface, languages)];
  return [...others.flatMap((form) => stemWord(form, all)), ...umlautForms(surface, languages)];
}

function umlautForms(surface: string, languages: readonly string[]): string[] {
  if (surface.length < MIN_TRANSLITERATED) return [];
  const spellings = new Set<string>();
  const stems = languages.filter((language) => withUmlauts.has(language)).map(stemmerFor);
  if (stems.length === 0) return [];
  for (const pairs of [digraphs, transliterated]) {
    spellings.add(pairs.reduce((word, [from, to]) => word.replace(from, to), surface));
  }
  spellings.delete(surface);
  return [...spellings].flatMap((spelling) => stemWord(spelling, stems));
}

/** The word as typed on an Arabic and on a Persian or Urdu keyboard, which have other characters for the same letters. */
function keyboardForms(word: string): string[] {
  return [
    word.replace(/[کڪ]/g, "ك").replace(/[ىیې]/g, "ي").replace(/[ہھە]/g, "ه"),
    word.replace(/ك/g, "ک").replace(/[يى]/g, "ی"),
    word.replace(/ك/g, "ک").replace(/[يى]/g, "ی").replace(/ه/g, "ہ"),
  ];
}

/** The digits of Arabic-script languages, Hindi and Thai, which passages of earlier versions keep in their terms. */
const zeros = [0x660, 0x6f0, 0x966, 0xe50];

const digitForms = (number: string): string[] =>
  zeros.map((zero) => Array.from(number, (digit) => String.fromCharCode(zero + Number(digit))).join(""));

function hebrewForms(word: string): string[] {
  if (word.length < MIN_HEBREW) return [];
  const forms = hebrewPrefixes.map((prefix) => prefix + word);
  for (const prefix of hebrewPrefixes) {
    if (word.startsWith(prefix) && word.length - prefix.length >= MIN_HEBREW) forms.push(word.slice(prefix.length));
  }
  return forms;
}

/** Languages that write compounds as one word. */
const compounding = new Set(["da", "de", "fi", "hu", "nl", "no", "sv"]);
const MIN_COMPOUND = 8;
const ENDING = "<";

export const buildsCompounds = (languages: readonly string[]): boolean =>
  languages.some((language) => compounding.has(language));

/**
 * The term under which a compound is found by its ending: the stem, reversed, after a character that no word contains.
 * Null for words that are too short to be compounds.
 */
export function endingTerm(term: string): string | null {
  if (term.length < MIN_COMPOUND || !/^\p{L}+$/u.test(term)) return null;
  return ENDING + reverse(term);
}

export const isEndingTerm = (term: string): boolean => term.startsWith(ENDING);

/** The beginning of the ending terms of all compounds that end with this term. */
export const endingPrefix = (term: string): string => ENDING + reverse(term);

const reverse = (term: string) => Array.from(term).reverse().join("");

/** Letters between the parts of a compound, in all languages that write compounds as one word. */
const links = ["", "s", "es", "n", "en", "er", "e", "ens"];

export type Split = { parts: [string[], string[]] };

/** All ways to split an unknown word into two parts, each with the terms under which the index may have it. */
export function listSplits(surface: string, languages: readonly string[]): Split[] {
  if (!/^\p{L}+$/u.test(surface) || surface.length < 4 || surface.length > MAX_LENGTH) return [];
  const stems = languages.map(stemmerFor);
  const shortest = surface.length < 7 ? 2 : 3;
  const splits: Split[] = [];
  for (let at = shortest; at <= surface.length - shortest; at++) {
    const left = surface.slice(0, at);
    const right = stemWord(surface.slice(at), stems);
    const linked = buildsCompounds(languages) ? links : [""];
    const bare = linked.filter((link) => left.endsWith(link) && left.length - link.length >= shortest);
    const lefts = bare.flatMap((link) => stemWord(left.slice(0, left.length - link.length), stems));
    splits.push({ parts: [[...new Set(lefts)], right] });
  }
  return splits;
}

/**
 * Whether two adjacent words of a question may be one word in a passage, such as `car park`. Articles and prepositions
 * in front of another word would be the beginnings of many words.
 */
export function mayBeJoined(first: string, second: string): boolean {
  const areWords =
    /^[\p{L}\p{N}]+$/u.test(first + second) &&
    !/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(first);
  return areWords && !stopWords.has(foldMarks(first)) && first.length + second.length >= 4;
}
