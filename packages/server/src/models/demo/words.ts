import { stopWords } from "../../stop-words.ts";

const unspaced = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}`;
/** A word, or two characters of a script that has no spaces. */
const wordPattern = new RegExp(`[${unspaced}]{1,2}|[^${unspaced}\\P{L}][\\p{L}\\p{M}\\p{N}]*|\\p{N}+`, "gu");

/** Lower case, with accents removed from Latin letters. */
export function fold(text: string): string {
  const bare = text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "");
  return bare.normalize("NFC").replaceAll("’", "'");
}

/** The words of a text without stop words and common endings, so that "bikes" is found in "bike". */
export function stemWords(text: string): string[] {
  const words = (fold(text).match(wordPattern) ?? []).filter((word) => !stopWords.has(word) && !/^[a-z]$/.test(word));
  return words.map((word) => word.slice(0, 40).replace(/(?<=.{3})(?:ies|ing|ed|es|[esy])$/, ""));
}
