import { stopWords } from "../../stop-words.ts";

const wordPattern = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]+|[\p{L}\p{M}\p{N}]+/gu;
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

/** Lower case, with accents removed from Latin letters. */
export function fold(text: string): string {
  const bare = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "");
  return bare.normalize("NFC").replaceAll("ß", "ss").replaceAll("’", "'");
}

/** The stems of a text's words, without stop words. Scripts without spaces are split into pairs of characters. */
export function stemWords(text: string): string[] {
  return (fold(text).match(wordPattern) ?? []).flatMap((word) => {
    if (unspaced.test(word)) return characterPairs(word);
    return stopWords.has(word) || /^[a-z]$/.test(word) ? [] : [stem(word)];
  });
}

function characterPairs(word: string): string[] {
  const letters = [...word];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index] ?? ""}${letter}`);
}

/**
 * Removes a few endings. Words of other languages than English remain recognizable, and both sides of a comparison lose
 * the same endings.
 */
function stem(word: string): string {
  return word.slice(0, 40).replace(/(?<=.{3})(?:ies|ing|ed|es|[esy])$/, "");
}
