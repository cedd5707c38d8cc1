import { UNDETERMINED } from "./stemmers.ts";

/** The Serbian letters of both scripts. Letters without accents come first, as they are typed. */
const letters =
  `а-a б-b в-v г-g д-d ђ-đ ђ-dj ђ-d е-e ж-ž ж-z з-z и-i ј-j к-k л-l љ-lj м-m н-n њ-nj о-o п-p р-r с-s т-t ћ-ć ћ-c
  у-u ф-f х-h ц-c ч-č ч-c џ-dž џ-dz ш-š ш-s`
    .split(/\s+/)
    .map((pair) => pair.split("-") as [cyrillic: string, latin: string]);
const latinLetters = new Map(letters.toReversed());
const cyrillicLetters = Map.groupBy(letters, ([, latin]) => latin);
const cyrillicWord = new RegExp(`^[${[...latinLetters.keys()].join("")}]+$`);
/** Pairs such as `lj` consist of letters of the list. As alternatives, they could be read in two ways each. */
const latinWord = new RegExp(`^[${[...cyrillicLetters.keys()].join("")}]+$`);

/** The languages that are detected for texts in Cyrillic, or none. */
const cyrillicLanguages = new Set(["ru", UNDETERMINED]);
/** The maximum number of Cyrillic spellings of a word that is typed without accents. */
const MAX_FORMS = 32;
const MIN_LENGTH = 3;

/** A word of Serbian or a neighbouring language in the other script, or with `dj` and `đ` for each other. */
export function serbianForms(word: string, languages: readonly string[]): string[] {
  if (word.length < MIN_LENGTH) return [];
  if (cyrillicWord.test(word)) return [Array.from(word, (letter) => latinLetters.get(letter) ?? letter).join("")];
  const forms = [
    ...(word.includes("dj") ? [word.replaceAll("dj", "đ")] : []),
    ...(word.includes("đ") ? [word.replaceAll("đ", "dj")] : []),
  ];
  if (!languages.some((language) => cyrillicLanguages.has(language)) || !latinWord.test(word)) return forms;
  return [...forms, ...toCyrillic(word).slice(0, MAX_FORMS)];
}

/** All Cyrillic spellings, those of pairs of letters such as `nj` first. */
function toCyrillic(word: string): string[] {
  let forms: Array<{ form: string; at: number }> = [{ form: "", at: 0 }];
  while (forms.some(({ at }) => at < word.length)) {
    forms = forms.flatMap(({ form, at }) => {
      if (at === word.length) return [{ form, at }];
      return [3, 2, 1].flatMap((length) =>
        (at + length > word.length ? [] : (cyrillicLetters.get(word.slice(at, at + length)) ?? [])).map(
          ([cyrillic]) => ({ form: form + cyrillic, at: at + length }),
        ),
      );
    });
    forms.length = Math.min(forms.length, 4 * MAX_FORMS);
  }
  return forms.map(({ form }) => form);
}
