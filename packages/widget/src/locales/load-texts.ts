import { loadAgain } from "../load-again.ts";
import type { LocaleId } from "./choose-locale.ts";

export type InLocale = { locale: LocaleId; options: { baseUrl: string } };

/** Loads the texts of the visitor's language. The names of the files are `prefix` and the language. */
export async function loadTexts<T>(
  { locale, options }: InLocale,
  prefix: string,
  files: Record<LocaleId, () => Promise<{ texts: T }>>,
): Promise<T> {
  const { texts } = await files[locale]().catch(() => loadAgain(options.baseUrl, prefix + locale));
  return texts;
}
