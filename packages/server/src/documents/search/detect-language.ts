import { francAll } from "franc";

/** Maps franc's ISO 639-3 codes to the ISO 639-1 codes of the stemmers. */
const iso6391ByIso6393: Readonly<Record<string, string>> = {
  arb: "ar",
  ces: "cs",
  cmn: "zh",
  dan: "da",
  deu: "de",
  eng: "en",
  fin: "fi",
  fra: "fr",
  hun: "hu",
  ita: "it",
  jpn: "ja",
  kor: "ko",
  nld: "nl",
  nob: "no",
  por: "pt",
  ron: "ro",
  rus: "ru",
  spa: "es",
  swe: "sv",
  tam: "ta",
  tha: "th",
  tur: "tr",
};

/** The maximum length of the sample. More text makes detection slower but not more accurate. */
const MAX_SAMPLE = 4_000;
const MIN_SAMPLE = 40;

/** Detects a document's language as an ISO 639-1 code. @returns null when the text is too short */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, MAX_SAMPLE);
  if (/[\u0e00-\u0e7f]/.test(sample)) return "th";
  if (/[\u3040-\u30ff]/.test(sample)) return "ja";
  if (/\p{Script=Hangul}/u.test(sample)) return "ko";
  if (/\p{Script=Han}/u.test(sample)) return "zh";
  if (/\p{Script=Arabic}/u.test(sample) && !/[\u067e\u0686\u06af\u06cc]/.test(sample)) return "ar";
  if (sample.trim().length < MIN_SAMPLE) return null;
  // The most likely language comes first. franc can also return a language that has no code here.
  const found = francAll(sample, { only: Object.keys(iso6391ByIso6393) })[0]?.[0];
  return found === undefined ? null : (iso6391ByIso6393[found] ?? null);
}
