import type { LocaleId } from "../../locales/choose-locale.ts";
import { type InLocale, loadTexts } from "../../locales/load-texts.ts";
import type { RatingTexts } from "./rating-en.ts";

export type { RatingTexts };

const files: Record<LocaleId, () => Promise<{ texts: RatingTexts }>> = {
  en: () => import("./rating-en.ts"),
  de: () => import("./rating-de.ts"),
  fr: () => import("./rating-fr.ts"),
  es: () => import("./rating-es.ts"),
  it: () => import("./rating-it.ts"),
  pt: () => import("./rating-pt.ts"),
  nl: () => import("./rating-nl.ts"),
  pl: () => import("./rating-pl.ts"),
  tr: () => import("./rating-tr.ts"),
  ar: () => import("./rating-ar.ts"),
  ja: () => import("./rating-ja.ts"),
  zh: () => import("./rating-zh.ts"),
};

export const loadRatingTexts = (core: InLocale): Promise<RatingTexts> => loadTexts(core, "rating-", files);
