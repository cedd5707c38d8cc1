import { type LocaleId, localeIds } from "./launcher-messages.ts";

export { type LocaleId, localeIds };

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
