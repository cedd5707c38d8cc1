import type { LocaleId } from "../../locales/choose-locale.ts";
import { type RatingTexts, ratingEn } from "./rating-en.ts";

export type { RatingTexts };

/** Only the needed language is loaded, as with the panel's messages. English is the fallback. */
const others: Record<Exclude<LocaleId, "en">, () => Promise<RatingTexts>> = {
  de: async () => (await import("./rating-de.ts")).ratingDe,
  fr: async () => (await import("./rating-fr.ts")).ratingFr,
  es: async () => (await import("./rating-es.ts")).ratingEs,
  it: async () => (await import("./rating-it.ts")).ratingIt,
  pt: async () => (await import("./rating-pt.ts")).ratingPt,
  nl: async () => (await import("./rating-nl.ts")).ratingNl,
  pl: async () => (await import("./rating-pl.ts")).ratingPl,
  tr: async () => (await import("./rating-tr.ts")).ratingTr,
  ar: async () => (await import("./rating-ar.ts")).ratingAr,
  ja: async () => (await import("./rating-ja.ts")).ratingJa,
  zh: async () => (await import("./rating-zh.ts")).ratingZh,
};

export function loadTexts(locale: LocaleId): Promise<RatingTexts> {
  return locale === "en" ? Promise.resolve(ratingEn) : others[locale]().catch(() => ratingEn);
}
