/** The languages that the widget speaks, by their primary subtags. */
export const localeIds = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ar", "ja", "zh"] as const;
export type LocaleId = (typeof localeIds)[number];

/** The first wish that can be granted, whatever its region (`pt-BR`, `zh_Hant`); English when none can. */
export function chooseLocale(wishes: ReadonlyArray<string | null | undefined>): LocaleId {
  for (const wish of wishes) {
    const language = wish?.toLowerCase().split(/[-_]/)[0];
    const known = localeIds.find((id) => id === language);
    if (known) return known;
  }
  return "en";
}

export const isRightToLeft = (locale: LocaleId): boolean => locale === "ar";
