/** The letters beyond ASCII of languages, the common ones before the rare ones, which count half. */
const westernLanguages = [
  "äöüß|éèàç",
  "éèàêçâîôûùïëœ|üæÿ",
  "áéíóúñ|üçàèòºª",
  "ãçáéíóúâêàô|õü",
  "àèéìòùí|ïîó",
  "åäö|éüæø",
  "æøå|éèêóòâôäöü",
  "áíðéóúöþæ|ýåø",
  "ëéèïöüá|êóíà",
  "äöüõ|šžå",
  "àèéíïòóúüç|·ñ",
];
/** The languages of encodings, in the order of their frequency. */
const families: ReadonlyArray<{ encodings: readonly string[]; languages: readonly string[] }> = [
  { encodings: ["windows-1252", "iso-8859-15"], languages: westernLanguages },
  {
    encodings: ["windows-1250", "iso-8859-2"],
    languages: [
      "ěščřžýáíéůúťďňó|äöü",
      "áčéíľšťúýžäôňďŕĺó|ěřöü",
      "ąćęłńóśźż|éäöü",
      "áéíóöőúüű|äâ",
      "ăâîşţ|éșț",
      "čćđšž|éäöü",
      "ëç|éèâ",
      "äöüß|é",
    ],
  },
  { encodings: ["windows-1254"], languages: ["çğıöşüİ|âîûéè"] },
  { encodings: ["windows-1257"], languages: ["ąčęėįšųūž|ó", "āčēģīķļņšūž|ōŗ", "äöüõ|šž"] },
  { encodings: ["macintosh"], languages: westernLanguages },
];
/** What Western languages do not write: ã and ç before consonants, and a word that begins with è. */
const notWestern = /[ãç](?=[b-df-hj-np-rtv-z])|(?<!\p{L})è(?=\p{L})/giu;

/** What all Western languages together have, for texts in several of them. */
const western = new Set("äöüßéèàêçâîôûùïëœáíóúñãõìòåæøðþýÿº");
const WESTERN_WEIGHT = 0.7;
/** A text with a lower score is in a language or an encoding that is not known here. */
const MIN_WESTERN = 0.6;
const MIN_OTHER = 0.85;
/** With fewer letters of unknown meaning, a text may have a few odd names. */
const MIN_LETTERS = 3;
const SAMPLE = 65_536;

type Guess = { encoding: string; isCertain: boolean };

/**
 * Chooses the encoding of a text in the Latin script that is not UTF-8 and names none: the one in which its letters beyond
 * ASCII belong to one language. Windows-1252 is chosen in doubt.
 */
export function guessEncoding(bytes: Uint8Array): Guess {
  const sample = bytes.subarray(0, SAMPLE);
  let best = { encoding: "windows-1252", score: 0 };
  let ordinary = { score: 1, letters: 0 };
  for (const { encodings, languages } of families) {
    for (const encoding of encodings) {
      const decoded = new TextDecoder(encoding).decode(sample);
      const found = measure(languages === westernLanguages ? decoded.replace(notWestern, "\ufffd") : decoded);
      const scores = languages.map((language) => scoreLanguage(found, weigh(language)));
      if (encoding === "windows-1252") {
        const mixed = scoreLanguage(found, (letter) => (western.has(letter) ? WESTERN_WEIGHT : 0));
        ordinary = { score: Math.max(mixed, ...scores), letters: found.total };
        best = { encoding, score: ordinary.score };
      } else if (Math.max(...scores) > Math.max(best.score, MIN_OTHER)) {
        best = { encoding, score: Math.max(...scores) };
      }
    }
  }
  const isWestern = ordinary.score >= MIN_WESTERN || ordinary.letters < MIN_LETTERS;
  return { encoding: best.encoding, isCertain: best.encoding !== "windows-1252" || isWestern };
}

function weigh(language: string): (letter: string) => number {
  const [common = "", rare = ""] = language.split("|");
  return (letter) => (common.includes(letter) ? 1 : rare.includes(letter) ? 0.5 : 0);
}

type Letters = { counts: Map<string, number>; total: number };

/** Signs that stand at the beginning of words or of numbers. */
const opening = /[„“”‘’‚«»‹›¿¡°µ©®§…–—•\u00a0\u00ad†‡€$£¥~]/;
const beyondAscii = /[^\0-\x7f]/g;

/**
 * Counts the letters beyond ASCII. Signs within a word, capital letters after small ones and control characters count as
 * letters that no language has.
 */
function measure(text: string): Letters {
  const counts = new Map<string, number>();
  let total = 0;
  for (const { 0: character, index } of text.matchAll(beyondAscii)) {
    const [before = "", after = ""] = [text[index - 1], text[index + 1]];
    const isLetter = /[\p{Ll}\p{Lu}ªº]/u.test(character);
    const [isAfterLetter, isBeforeLetter] = [/\p{L}/u.test(before), /\p{L}/u.test(after)];
    const isWrongSign =
      /[\x80-\x9f\ufffd¤]/.test(character) ||
      (isAfterLetter && /[\p{Sk}\p{Lm}]/u.test(character)) ||
      (character === "·" && isAfterLetter && !isBeforeLetter) ||
      (isBeforeLetter && (isAfterLetter ? !/[’‘\u00ad·]/.test(character) : !opening.test(character)));
    const isWrongCase = /\p{Lu}/u.test(character) && isAfterLetter && /\p{Ll}/u.test(before + after);
    if (!isLetter && !isWrongSign) continue;
    total++;
    const counted = isLetter && !isWrongCase ? (character === "İ" ? character : character.toLowerCase()) : "";
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
  }
  return { counts, total };
}

function scoreLanguage({ counts, total }: Letters, weightOf: (letter: string) => number): number {
  if (total === 0) return 1;
  let sum = 0;
  for (const [letter, count] of counts) if (letter !== "") sum += weightOf(letter) * count;
  return sum / total;
}
