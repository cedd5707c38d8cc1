/** The languages of the widget, by primary subtag. */
export const localeIds = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ar", "ja", "zh"] as const;
export type LocaleId = (typeof localeIds)[number];

/** The first preferred language that is supported, regardless of its region (`pt-BR`, `zh_Hant`), otherwise English. */
export function chooseLocale(wishes: ReadonlyArray<string | null | undefined>): LocaleId {
  for (const wish of wishes) {
    const language = wish?.toLowerCase().split(/[-_]/)[0];
    const known = localeIds.find((id) => id === language);
    if (known) return known;
  }
  return "en";
}

export const isRightToLeft = (locale: LocaleId): boolean => locale === "ar";
