/** Stop words in the languages that visitors of the demo use most. */
const stopWords = new Set(
  `a about am an and any are as at be but by can could did do does for from get give had has have hello hi how i if in is it its
  like many me much my need of on or our please sell sells show so some tell than thank thanks that the their them then there these they this
  to too up us use want was we were what when where which who why will with would you your aber als auch auf aus bei bin bis bitte
  das dem den der die du ein eine einen er es fur gibt habe haben hat ich ihr im in ist ja kann mein mit nach nicht noch oder sie
  sind so und uns viel von was welche wann wer wie wo zu zum au aux avec ce comment dans de des du elle en est et il je la le les
  ma mes mon nous ou par pas pour quand que quel quelle qui sur un une vous cuando como con cual del el esta hay los para por se
  son y`.split(/\s+/),
);

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
